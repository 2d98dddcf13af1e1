import type { FleetPicture } from './fleet-picture.ts'
import type { FleetView } from './fleet-view.ts'

/** Milliseconds between two frames: faster than the eye asks for, slower than a terminal minds. */
const FRAME = 100
const ESCAPE = '\u001b['

export interface Screen {
  readonly write: (text: string) => void
  /** Draw in place; otherwise a line is printed when something changed. */
  readonly live: boolean
  /** Of the terminal, at this moment. */
  readonly columns: () => number
}

/** Shows the fleet as it changes. */
export class Painter {
  readonly #picture: FleetPicture
  readonly #screen: Screen
  readonly #said = new Map<string, string>()
  #drawn = 0
  #timer: NodeJS.Timeout | undefined

  constructor(picture: FleetPicture, screen: Screen) {
    this.#picture = picture
    this.#screen = screen
  }

  /** Paints until the returned function is called, which leaves the last picture standing. */
  start(view: FleetView): () => void {
    const paint = (): void => {
      this.#timer = undefined
      if (this.#screen.live) this.#drawFrame()
      else this.#printChanges()
    }
    const stop = view.onChange(() => {
      this.#timer ??= setTimeout(paint, FRAME)
    })
    return () => {
      stop()
      clearTimeout(this.#timer)
      paint()
      this.#drawn = 0
    }
  }

  /** What else there is to say goes below the picture; the next one is drawn below that. */
  say(text: string): void {
    this.#drawn = 0
    this.#screen.write(text)
  }

  #drawFrame(): void {
    const lines = this.#picture.lines(this.#screen.columns())
    const up = this.#drawn > 0 ? `${ESCAPE}${this.#drawn}A` : ''
    this.#screen.write(`${up}${ESCAPE}J${lines.map((line) => `${line}\n`).join('')}`)
    this.#drawn = lines.length
  }

  #printChanges(): void {
    for (const [pool, text] of this.#picture.summaries()) {
      if (this.#said.get(pool) === text) continue
      this.#said.set(pool, text)
      this.#screen.write(`${text}\n`)
    }
  }
}
