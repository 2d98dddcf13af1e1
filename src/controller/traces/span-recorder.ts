import type { HistoryEntry } from '../../protocol/node-pool.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { NodeView } from '../../rollout/model/node-view.ts'
import { nodeEnd, nodeSpanId, nodeSpans } from './node-spans.ts'
import { gateSpans, type OpenWave, rolloutSpans, type TracedPool, waveSpan, waveSpanId } from './pool-spans.ts'
import { type Span, traceIdOf } from './span.ts'

export interface TracedFleet {
  readonly pools: ReadonlyMap<string, TracedPool>
  readonly nodes: Iterable<{ readonly name: string; readonly view: NodeView }>
}

/** What is seen of a node before its end, and gone by then. */
interface NodeNote {
  readonly cordon?: { readonly digest: string; readonly at: Instant } | undefined
  readonly assigned?: { readonly at: Instant; readonly parent: string | undefined } | undefined
  /** The last that was recorded. */
  readonly done?: string | undefined
}

/** Milliseconds. What ended just before is recorded, too: a leader that went may not have sent it. Ids are the same. */
const LOOK_BACK = 20_000

/** Milliseconds by which clocks of two controllers may differ. */
const TOLERANCE = 1_000

/** Makes spans of what ends in a fleet, whenever it is looked at. */
export class SpanRecorder {
  readonly #since: Instant
  readonly #seen = new WeakSet<object>()
  #notes = new Map<string, NodeNote>()
  #waves = new Map<string, OpenWave>()
  /** Of pools: ids. */
  #done = new Set<string>()

  constructor(now: Instant) {
    this.#since = now - LOOK_BACK
  }

  /** @returns what has ended since the last look */
  observe({ pools, nodes }: TracedFleet, now: Instant): readonly Span[] {
    const all = [...nodes]
    const ofPools = [...pools.values()].flatMap((pool) => this.#ofPool(pool, now))
    const spans = ofPools.concat(all.flatMap((node) => this.#ofNode(node, { pools, now })))
    this.#forgetNodes(all)
    return spans.filter(({ end }) => end >= this.#since)
  }

  /** Those that are gone; looked for when there are many. */
  #forgetNodes(nodes: readonly { readonly name: string }[]): void {
    if (this.#notes.size <= 2 * nodes.length) return
    const names = new Set(nodes.map(({ name }) => name))
    this.#notes = new Map([...this.#notes].filter(([name]) => names.has(name)))
  }

  #ofPool(pool: TracedPool, now: Instant): readonly Span[] {
    const ended = [...rolloutSpans(pool), ...gateSpans(pool)]
    const fresh = ended.filter(({ spanId }) => !this.#done.has(spanId))
    for (const { spanId } of fresh) this.#done.add(spanId)
    return fresh.concat(this.#wave(pool, now))
  }

  #wave(pool: TracedPool, now: Instant): readonly Span[] {
    const { wave, history: [run] = [] } = pool.status
    const open = this.#waves.get(pool.name)
    const traceId = run && traceIdOf(pool, run)
    if (open && wave && open.traceId === traceId && open.index === wave.index) return []
    this.#waves.delete(pool.name)
    if (wave && run && traceId !== undefined) {
      const isFirst = wave.index === 1
      // One that opened before this controller led began at a time that it does not know.
      const since = isFirst ? Date.parse(run.startedAt) : open?.traceId === traceId ? now : undefined
      if (since !== undefined) this.#waves.set(pool.name, { traceId, index: wave.index, name: wave.name, since })
    }
    const endedAt = open && endOf(pool, open.traceId)
    return open === undefined ? [] : [waveSpan(pool, open, endedAt ?? now)]
  }

  #ofNode(
    node: { readonly view: NodeView },
    { pools, now }: Pick<TracedFleet, 'pools'> & { readonly now: Instant },
  ): readonly Span[] {
    if (this.#seen.has(node)) return []
    const { view } = node
    const note = this.#noted(view)
    const ended = nodeEnd(view, now)
    const pool = ended && pools.get(ended.assigned.pool)
    const traceId = ended && pool && traceOf(pool, ended.assigned)
    if (ended && traceId === undefined && ended.end >= this.#since) return []
    this.#seen.add(node)
    if (!ended || traceId === undefined) return []
    const spanId = nodeSpanId(traceId, view, ended.assigned)
    if (note.done === spanId) return []
    this.#notes.set(view.name, { ...note, done: spanId })
    const cordonedAt = note.cordon?.digest === ended.assigned.digest ? note.cordon.at : undefined
    const parent = note.assigned?.at === ended.assigned.at ? note.assigned.parent : undefined
    return nodeSpans(view, ended, { traceId, parent, cordonedAt })
  }

  #noted({ name, mark, assigned }: NodeView): NodeNote {
    const before = this.#notes.get(name)
    const isOurs = mark?.state === 'Ours' || mark?.state === 'Found'
    const at = assigned?.at
    const note: NodeNote = {
      cordon: isOurs ? { digest: mark.digest, at: mark.at } : before?.cordon,
      assigned: at === undefined || at === before?.assigned?.at ? before?.assigned : { at, parent: this.#parent(assigned?.pool) },
      done: before?.done,
    }
    this.#notes.set(name, note)
    return note
  }

  #parent(pool = ''): string | undefined {
    const wave = this.#waves.get(pool)
    return wave && waveSpanId(wave)
  }
}

/** Of the newest run of the assigned revision that began before. */
function traceOf(pool: TracedPool, { revision, at }: { readonly revision: string; readonly at: Instant }): string | undefined {
  const isOf = (run: HistoryEntry) => run.revision === revision && Date.parse(run.startedAt) <= at + TOLERANCE
  const run = pool.status.history?.find(isOf)
  return run && traceIdOf(pool, run)
}

function endOf(pool: TracedPool, traceId: string): Instant | undefined {
  const run = pool.status.history?.find((entry) => traceIdOf(pool, entry) === traceId)
  return run?.endedAt === undefined ? undefined : Date.parse(run.endedAt)
}
