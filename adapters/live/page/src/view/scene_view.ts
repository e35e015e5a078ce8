// SPDX-License-Identifier: MIT
// The 3-D view: the noisy cloud, the clean one, or both side by side under one camera. Draws only when asked to.
import { AxesHelper, ColorManagement, GridHelper, LinearSRGBColorSpace, Matrix4, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Frame } from '../data/frame';
import type { Settings } from '../data/settings';
import type { TransformTree } from '../data/transform_tree';
import { Cloud } from './cloud';
import type { Scales } from './colours';
import { Paths } from './paths';

// Colours reach the screen as they are, so that they agree with the legends.
ColorManagement.enabled = false;

const GRID_M = 20;

export class SceneView {
  readonly paths = new Paths();
  readonly noisy = new Cloud(false);
  readonly clean = new Cloud(true);
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera = new PerspectiveCamera(55, 1, 0.05, 2000);
  private controls: OrbitControls;
  private axes = new AxesHelper(0.5);
  private grid = new GridHelper(GRID_M, GRID_M);
  private pose = new Matrix4();
  /** If false, the next frame chooses the viewpoint. */
  framed = false;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly settings: Settings, private readonly changed: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawsInSoftware(), powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.setScissorTest(true);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', changed);
    this.axes.matrixAutoUpdate = false;
    this.scene.add(this.noisy.object, this.clean.object, this.axes, this.paths.group, this.grid);
    new ResizeObserver(changed).observe(canvas);
    canvas.addEventListener('webglcontextrestored', changed);
  }

  setColours(ground: string, line: string): void {
    this.renderer.setClearColor(ground);
    this.scene.remove(this.grid);
    this.grid.dispose();
    this.grid = new GridHelper(GRID_M, GRID_M, line, line);
    this.grid.rotation.x = Math.PI / 2;
    this.scene.add(this.grid);
  }

  update(frame: Frame, scales: Scales, tree: TransformTree): void {
    const { mode, show } = this.settings;
    if (show !== 'clean') {
      this.noisy.update(frame, mode, scales);
    }
    if (show !== 'noisy') {
      this.clean.update(frame, mode, scales);
    }
    tree.pose(frame.frameId, this.pose);
    for (const object of [this.noisy.object, this.clean.object, this.axes]) {
      object.matrix.copy(this.pose);
      object.matrixWorldNeedsUpdate = true;
    }
    if (!this.framed && frame.count > 0) {
      this.reset(frame);
    }
  }

  /** Looks at the points from above, so far away that most of them are in sight. */
  reset(frame: Frame): void {
    const { middle, spread } = extent(frame);
    const away = Math.max(1, 1.3 * this.canvas.clientHeight / Math.max(this.canvas.clientWidth, 1)) * spread;
    this.controls.target.copy(middle.applyMatrix4(this.pose));
    this.camera.position.copy(this.controls.target).add(new Vector3(-1.5, -1.05, 1.7).multiplyScalar(away));
    this.framed = true;
    this.controls.update();
    this.changed();
  }

  /** Turns the view by angles in radians, and scales the distance. */
  orbit(azimuth: number, elevation: number, zoom: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const distance = arm.length();
    const angle = Math.atan2(arm.y, arm.x) + azimuth;
    const height = Math.min(1.55, Math.max(-1.55, Math.asin(arm.z / distance) + elevation));
    arm.set(Math.cos(height) * Math.cos(angle), Math.cos(height) * Math.sin(angle), Math.sin(height)).multiplyScalar(distance * zoom);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.changed();
  }

  draw(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) {
      return;
    }
    this.resize(width, height);
    this.paths.group.visible = this.settings.paths;
    for (const cloud of [this.noisy, this.clean]) {
      cloud.object.material.size = this.settings.pointSize;
    }
    if (this.settings.show !== 'both') {
      this.part(0, 0, width, height, this.settings.show === 'clean');
    } else if (width >= 500) {
      const half = Math.floor(width / 2);
      this.part(0, 0, half, height, true);
      this.part(half, 0, width - half, height, false);
    } else {
      const half = Math.floor(height / 2);
      this.part(0, height - half, width, half, true);
      this.part(0, 0, width, height - half, false);
    }
  }

  private part(x: number, y: number, width: number, height: number, clean: boolean): void {
    this.noisy.object.visible = !clean;
    this.clean.object.visible = clean;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.setViewport(x, y, width, height);
    this.renderer.setScissor(x, y, width, height);
    this.renderer.render(this.scene, this.camera);
    this.renderer.getContext().flush();
  }

  private resize(width: number, height: number): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    if (this.renderer.getPixelRatio() !== ratio) {
      this.renderer.setPixelRatio(ratio);
    }
    if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setSize(width, height, false);
    }
  }
}

/** Whether the processor draws, without a GPU. Smoothing would then take most of the time. */
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** The middle of the noisy points in the sensor's frame, and the root of their mean squared distance from it, metres. */
function extent(frame: Frame): { middle: Vector3; spread: number } {
  const middle = new Vector3();
  const point = new Vector3();
  let squares = 0;
  let n = 0;
  const step = Math.max(1, Math.floor(frame.count / 5000));
  for (let i = 0; i < frame.count; i += step) {
    if (Number.isFinite(frame.range[i]!)) {
      middle.add(point.fromArray(frame.points, 3 * i));
      squares += point.lengthSq();
      ++n;
    }
  }
  middle.divideScalar(Math.max(n, 1));
  return { middle, spread: n > 0 ? Math.sqrt(Math.max(squares / n - middle.lengthSq(), 0.01)) : 5 };
}
