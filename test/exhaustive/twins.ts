import type { State } from './state.ts'

/** A state whose key another one has that was found before. */
export interface Twin {
  readonly state: State
  /** Of the one that was found before. */
  readonly number: number
  /** The state that it follows, and by which event. */
  readonly from: number
  readonly label: string
}

/** States by number that follow one, in the order of its events; with those of its faults or without. */
export interface Followers {
  readonly numbers: readonly number[]
  readonly mayFail: boolean
}

/** Remembers some of the states that are found again, and what follows of each state that was visited. */
export class Twins {
  readonly #every: number
  readonly #followers = new Map<number, Followers>()
  readonly #chosen: Twin[] = []
  #met = 0

  /** @param every of so many that are met, one is chosen */
  constructor(every: number) {
    this.#every = every
  }

  get chosen(): readonly Twin[] {
    return this.#chosen
  }

  meet(twin: Twin): void {
    if (this.#met++ % this.#every === 0) this.#chosen.push(twin)
  }

  visited(number: number, followers: Followers): void {
    this.#followers.set(number, followers)
  }

  /** @param followersOf the other one, looked at as this one was */
  isSame({ number }: Twin, followersOf: (mayFail: boolean) => readonly (number | undefined)[]): boolean {
    const known = this.#followers.get(number)
    return known !== undefined && String(followersOf(known.mayFail)) === String(known.numbers)
  }
}
