// SPDX-License-Identifier: MIT
// Draws once for each picture in which something changed, and never otherwise.

export class Loop {
  private asked = false;

  constructor(private readonly draw: () => void) {}

  readonly ask = (): void => {
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.draw();
      });
    }
  };
}
