/** Names that float in the room and always face the eye, of one size on the screen. */

import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial, SRGBColorSpace } from "/console/vendor/three/three.module.js";

const HEIGHT_PX = 40;
const LONGEST = 40;
const SIZE = 0.034;

export class Label {
  /** Put it where the name belongs. */ sprite;
  #text = "";
  #colours;
  #canvas = document.createElement("canvas");

  constructor(text, colours) {
    this.#colours = colours;
    this.sprite = new Sprite(new SpriteMaterial({ depthTest: false, depthWrite: false, sizeAttenuation: false, transparent: true }));
    this.sprite.renderOrder = 5;
    this.sprite.center.set(0.5, 0);
    this.say(text);
  }

  /** Change the words, where they differ. */
  say(text) {
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
    if (shown === this.#text) return false;
    this.#text = shown;
    this.#draw();
    return true;
  }

  /** Other colours: light or dark. */
  colour(colours) {
    this.#colours = colours;
    this.#draw();
  }

  dispose() {
    this.sprite.material.map?.dispose();
    this.sprite.material.dispose();
  }

  #draw() {
    const { material } = this.sprite;
    const pen = this.#canvas.getContext("2d");
    const font = "500 22px system-ui, 'DejaVu Sans', sans-serif";
    pen.font = font;
    const width = Math.ceil(pen.measureText(this.#text).width) + 22;
    this.#canvas.width = width;
    this.#canvas.height = HEIGHT_PX;
    pen.font = font;
    pen.fillStyle = this.#colours.sheet;
    pen.globalAlpha = 0.88;
    pen.beginPath();
    pen.roundRect(0, 2, width, HEIGHT_PX - 4, 10);
    pen.fill();
    pen.globalAlpha = 1;
    pen.fillStyle = this.#colours.ink;
    pen.textBaseline = "middle";
    pen.fillText(this.#text, 11, HEIGHT_PX / 2 + 1);
    material.map?.dispose(); // its size changed with the words
    material.map = new CanvasTexture(this.#canvas);
    material.map.colorSpace = SRGBColorSpace;
    material.map.minFilter = LinearFilter;
    material.map.generateMipmaps = false;
    material.needsUpdate = true;
    this.sprite.scale.set((SIZE * width) / HEIGHT_PX, SIZE, 1);
  }
}
