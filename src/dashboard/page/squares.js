// @ts-check

/** @import { WaveView } from '../fleet-view.ts' */

/** Distinct in brightness too, for those who see few colours. */
export const COLOURS = new Map([
  ['Current', '#2da44e'],
  ['Soaking', '#8ddb8c'],
  ['Proving', '#54aeff'],
  ['Applying', '#0969da'],
  ['Rebooting', '#8250df'],
  ['Assigned', '#80ccff'],
  ['Draining', '#d4a72c'],
  ['Cordoned', '#eac54f'],
  ['Waiting', '#afb8c1'],
  ['Skipped', '#8c959f'],
  ['Joining', '#d0d7de'],
  ['Failed', '#cf222e'],
  ['Held', '#bf8700'],
  ['Leaving', '#6e7781'],
  ['Unreachable', '#82071e'],
  ['Unmanaged', '#57606a'],
])

const SMALL = 6
const LARGE = 16
/** From so many nodes on squares are small. */
const MANY = 300

/** A wave as squares, one a node, on one canvas: a thousand nodes are no thousand elements. */
export class Squares {
  /** @param {(node: string) => void} open */
  constructor(open) {
    this.canvas = document.createElement('canvas')
    this.canvas.tabIndex = 0
    // A screen reader says the value of a slider each time that an arrow key changes it.
    this.canvas.setAttribute('role', 'slider')
    this.canvas.setAttribute('aria-valuemin', '1')
    this.context = this.canvas.getContext('2d')
    /** @type {WaveView} */
    this.wave = { name: '', state: 'Later', nodes: [], phases: [] }
    /** The node that arrow keys have chosen. */
    this.at = 0
    this.found = ''
    this.columns = 1
    this.size = LARGE
    this.ratio = 1
    this.count = 0
    for (const event of ['focus', 'blur']) this.canvas.addEventListener(event, () => this.#paint(this.at))
    this.canvas.addEventListener('click', (event) => this.#open(this.#indexAt(event), open))
    this.canvas.addEventListener('mousemove', (event) => {
      this.canvas.title = this.#sayingOf(this.#indexAt(event))
    })
    this.canvas.addEventListener('keydown', (event) => this.#onKey(event, open))
  }

  /**
   * @param {WaveView} wave
   * @param {{ readonly found: string, readonly width: number }} look part of a name; nodes without it are faint. Pixels that there are
   */
  draw(wave, { found, width }) {
    const { wave: before, found: foundBefore } = this
    this.wave = wave
    this.found = found
    const isOther = this.#layOut(width)
    wave.phases.forEach((phase, index) => {
      if (isOther || phase !== before.phases[index] || found !== foundBefore) this.#paint(index)
    })
    this.#choose(this.at)
  }

  /**
   * @param {number} width
   * @returns {boolean} whether the canvas is empty now: what is set to a canvas, if only to the same size, clears it
   */
  #layOut(width) {
    const count = this.wave.nodes.length
    const size = count > MANY ? SMALL : LARGE
    const columns = Math.max(1, Math.min(count, Math.floor(Math.max(160, Math.min(1200, width)) / size)))
    const ratio = window.devicePixelRatio || 1
    const [across, down] = [columns * size, Math.ceil(count / columns) * size]
    if (columns === this.columns && size === this.size && ratio === this.ratio && count === this.count) return false
    Object.assign(this, { columns, size, ratio, count })
    Object.assign(this.canvas, { width: across * ratio, height: down * ratio })
    Object.assign(this.canvas.style, { width: `${across}px`, height: `${down}px` })
    this.context?.scale(ratio, ratio)
    return true
  }

  /** @param {number} index */
  #paint(index) {
    const { context, size } = this
    const name = this.wave.nodes[index]
    if (!context || name === undefined) return
    const [x, y] = [(index % this.columns) * size, Math.floor(index / this.columns) * size]
    const isFaint = !name.includes(this.found)
    context.clearRect(x, y, size, size)
    if (isFaint) context.globalAlpha = 0.15
    context.fillStyle = COLOURS.get(this.wave.phases[index] ?? '') ?? '#000'
    context.fillRect(x, y, size - 1, size - 1)
    if (isFaint) context.globalAlpha = 1
    if (index === this.at && document.activeElement === this.canvas) frame(context, { x, y, size: size - 1 })
  }

  /** @param {number} index */
  #choose(index) {
    const before = this.at
    this.at = Math.max(0, Math.min(index, this.wave.nodes.length - 1))
    this.canvas.setAttribute('aria-valuemax', String(this.wave.nodes.length))
    this.canvas.setAttribute('aria-valuenow', String(this.at + 1))
    this.canvas.setAttribute('aria-valuetext', this.#sayingOf(this.at))
    if (before === this.at) return
    this.#paint(before)
    this.#paint(this.at)
  }

  /** @param {number} index */
  #sayingOf(index) {
    const name = this.wave.nodes[index]
    return name === undefined ? '' : `${name}: ${this.wave.phases[index]}`
  }

  /** @param {MouseEvent} event */
  #indexAt({ offsetX, offsetY }) {
    return Math.floor(offsetY / this.size) * this.columns + Math.floor(offsetX / this.size)
  }

  /**
   * @param {KeyboardEvent} event
   * @param {(node: string) => void} open
   */
  #onKey(event, open) {
    // What the key does next is for the dialog otherwise, which it would close.
    if (event.key === 'Enter') event.preventDefault()
    if (event.key === 'Enter') return this.#open(this.at, open)
    const last = this.wave.nodes.length - 1
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, Home: -last, End: last }
    const step = /** @type {Readonly<Record<string, number>>} */ (steps)[event.key]
    if (step === undefined) return
    event.preventDefault()
    this.#choose(this.at + step)
    this.canvas.title = this.#sayingOf(this.at)
  }

  /**
   * @param {number} index
   * @param {(node: string) => void} open
   */
  #open(index, open) {
    const node = this.wave.nodes[index]
    if (node !== undefined) open(node)
  }
}

/**
 * White within black: seen on every colour.
 * @param {CanvasRenderingContext2D} context
 * @param {{ readonly x: number, readonly y: number, readonly size: number }} square
 */
function frame(context, { x, y, size }) {
  for (const [inset, colour] of /** @type {const} */ ([
    [0.5, '#000'],
    [1.5, '#fff'],
  ])) {
    context.strokeStyle = colour
    context.strokeRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset)
  }
}
