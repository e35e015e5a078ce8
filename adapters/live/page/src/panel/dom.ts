// SPDX-License-Identifier: MIT
type Properties = Record<string, string | number | boolean | ((event: any) => void)>;

/** Makes an element. Properties that are functions listen to the event of that name. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (typeof value === 'boolean') {
      element.toggleAttribute(name, value);
    } else {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children);
  return element;
}

export function put(to: HTMLElement, ...children: (Node | string)[]): void {
  to.replaceChildren(...children);
}

/** Writes a text if it differs, to avoid a new layout. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** A canvas in device pixels and its context in CSS pixels; null if it is hidden. */
export function context2d(canvas: HTMLCanvasElement): { g: CanvasRenderingContext2D; width: number; height: number } | null {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const g = canvas.getContext('2d');
  if (!g || width === 0 || height === 0) {
    return null;
  }
  const ratio = window.devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
}

export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
