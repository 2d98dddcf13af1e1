import type { FleetView } from './fleet-view.ts'
import { changesBetween, type ViewChanges } from './view-changes.ts'

/** Somebody who looks at the page. */
export interface Viewer {
  /** @returns false when it should get no more for the moment; what was sent still arrives */
  send(event: 'fleet' | 'changes' | 'standby', data: unknown): boolean
  /** It gets no more, and may come again. */
  end(): void
}

/** Following: it has everything. Full: it has, and should get no more. Missed: something changed meanwhile. */
type Progress = 'Following' | 'Full' | 'Missed'

/** At most so many: each one holds a connection. */
export const MAX_VIEWERS = 32

/** Tells viewers what changes. The fleet is looked at once, however many they are, and not at all while there is none. */
export class Viewers {
  readonly #look: () => FleetView | undefined
  readonly #viewers = new Map<Viewer, Progress>()
  #shown: FleetView | undefined

  /** @param look undefined while another controller leads */
  constructor(look: () => FleetView | undefined) {
    this.#look = look
  }

  get count(): number {
    return this.#viewers.size
  }

  /** One that takes nothing at the moment gives its place to the next. @returns false when there is none */
  makeRoom(): boolean {
    if (this.count < MAX_VIEWERS) return true
    const [stalled] = [...this.#viewers].find(([, progress]) => progress !== 'Following') ?? []
    if (stalled === undefined) return false
    this.#viewers.delete(stalled)
    stalled.end()
    return true
  }

  add(viewer: Viewer): void {
    this.refresh()
    if (this.count === 0) this.#shown = this.#look()
    this.#sendAll(viewer)
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer)
  }

  /** It takes more again. */
  drained(viewer: Viewer): void {
    const progress = this.#viewers.get(viewer)
    if (progress === 'Missed') this.#sendAll(viewer)
    else if (progress === 'Full') this.#viewers.set(viewer, 'Following')
  }

  /** Looks for what changed. Costs one look at every node: the caller says how often. */
  refresh(): void {
    if (this.count === 0) return
    const before = this.#shown
    this.#shown = this.#look()
    const changes = before && this.#shown ? changesBetween(before, this.#shown) : before !== this.#shown
    if (changes) for (const [viewer, progress] of this.#viewers) this.#tell(viewer, progress, changes)
  }

  end(): void {
    for (const viewer of this.#viewers.keys()) viewer.end()
    this.#viewers.clear()
  }

  /** @param changes true: of everything */
  #tell(viewer: Viewer, progress: Progress, changes: ViewChanges | true): void {
    if (progress !== 'Following') this.#viewers.set(viewer, 'Missed')
    else if (changes === true) this.#sendAll(viewer)
    else this.#send(viewer, 'changes', changes)
  }

  #sendAll(viewer: Viewer): void {
    if (this.#shown) this.#send(viewer, 'fleet', this.#shown)
    else this.#send(viewer, 'standby', {})
  }

  #send(viewer: Viewer, event: 'fleet' | 'changes' | 'standby', data: unknown): void {
    this.#viewers.set(viewer, viewer.send(event, data) ? 'Following' : 'Full')
  }
}
