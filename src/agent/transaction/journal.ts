import * as z from 'zod/mini'
import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'
import type { RecordedUndo } from '../resources/kind.ts'
import { toRecordedUndo, undoOfFirstRelease } from './journal-of-first-release.ts'

/** Bytes are never in the journal, they are in a backup; what `data` means is the kind's affair. */
const recordedUndo = z.object({ kind: z.string(), version: z.number(), data: z.unknown() })

const failure = z.object({ reason: z.string(), message: z.string() })

/** A boot other than the one with this id, an agent of this version. `undo`: to take the steps back needs a boot, too. */
const awaits = z.object({ boot: z.optional(z.string()), agent: z.optional(z.string()), undo: z.optional(z.boolean()) })
export type Awaits = z.infer<typeof awaits>

const line = z.union([
  z.object({
    at: z.literal('begin'),
    id: z.string(),
    purpose: z.enum(['apply', 'repair', 'fallback']),
    /** What the host is to become; missing: the local configuration. */
    digest: z.optional(z.string()),
    activation: z.object({
      reload: z.boolean(),
      restarts: z.array(z.string()),
      required: z.optional(z.array(z.string())),
      stopped: z.optional(z.array(z.string())),
      /** Units that ran, and stop with those of `restarts`: they are started again. */
      alongside: z.optional(z.array(z.string())),
    }),
    /** What the kubelet has to show when all is done. */
    proof: z.object({
      healthz: z.optional(z.string()),
      version: z.optional(z.string()),
      ready: z.boolean(),
      heartbeat: z.optional(z.boolean()),
      runtime: z.optional(z.string()),
      units: z.optional(z.array(z.string())),
      /** Units that have to run as long as the service manager knows them: the file of one may go. */
      unitsIfKnown: z.optional(z.array(z.string())),
      settle: z.optional(z.number()),
      within: z.number(),
      /** The transaction that made the host what it is, where this one changes nothing. */
      change: z.optional(z.string()),
      /** Whether the API server has to be heard of once after the change. */
      contact: z.optional(z.boolean()),
      /** It did not answer right before the change either. */
      away: z.optional(z.literal(true)),
      /** The kubelet's heartbeat that the Node showed before the change; milliseconds since the epoch. */
      shown: z.optional(z.number()),
      /** Whether the kubelet served the API server before the change. */
      served: z.optional(z.boolean()),
      /** The change takes the kubelet away, from a machine that had none before nodewave: it has nothing to show. */
      withoutKubelet: z.optional(z.literal(true)),
    }),
    before: z.object({
      /** Whether the kubelet was healthy: an undo cannot give back more. */
      healthy: z.boolean(),
      healthz: z.optional(z.string()),
      /** Units to restart or to stop that ran, and those that stop with them: an undo gives them back, also those that have failed since. */
      running: z.optional(z.array(z.string())),
    }),
    /** What the changes themselves have to show, by kind. */
    proofs: z.optional(z.array(z.object({ kind: z.string(), data: z.optional(z.unknown()) }))),
    /** What has to happen before they count. */
    awaits: z.optional(awaits),
    /** Of a fallback: why it came to it. */
    because: z.optional(failure),
  }),
  z.object({ at: z.literal('intent'), step: z.number(), undo: z.union([recordedUndo, undoOfFirstRelease]) }),
  z.object({ at: z.literal('done'), step: z.number() }),
  /** Everything is in place, and does not count before what the head says has happened. */
  z.object({ at: z.literal('awaiting') }),
  /** The machine is asked to reboot: the boot that is to end, and monotonic milliseconds since it began. */
  z.object({ at: z.literal('rebooting'), boot: z.string(), elapsed: z.number() }),
  /**
   * Everything is in place and restarted; what is left is to prove it. Once more with `proved`: what is left is to write down elsewhere that it
   * has ended. An agent of a release before, which may come back, reads no other lines, and proves it again.
   */
  z.object({
    at: z.literal('committed'),
    proved: z.optional(z.object({ startedAt: z.optional(z.number()), heartbeat: z.optional(z.number()) })),
  }),
  z.object({ at: z.literal('undoing'), error: failure }),
  /** Everything was put back, and counts after another boot than this one. */
  z.object({ at: z.literal('undone'), boot: z.string() }),
])

/** kept: done and proved. undone: the host is as before. unproved: it is, but its kubelet has not proved healthy since. broken: it is not, and a person is needed. */
export type Ending = Kept | { readonly kind: 'undone' | 'unproved' | 'broken'; readonly failure: Failure }

/** Of the kubelet that proved healthy: when it was started, and its last heartbeat on the Node. Milliseconds since the epoch. */
export interface Kept {
  readonly kind: 'kept'
  readonly startedAt?: number | undefined
  readonly heartbeat?: number | undefined
}

/** In place, and waiting for what the head says; the journal stays open. */
export interface Suspended {
  readonly kind: 'suspended'
}

export type JournalLine = z.infer<typeof line>
export type TransactionHead = Extract<JournalLine, { at: 'begin' }>
/** Why something did not work, as the status tells it. */
export type Failure = z.infer<typeof failure>

/** A transaction as the journal tells it. */
export interface JournalRecord {
  readonly head: TransactionHead
  /** What puts back each step that may have been done, in the order of the steps. */
  readonly undos: readonly RecordedUndo[]
  readonly awaiting: boolean
  readonly committed: boolean
  /** How it ended, once it was proved: what the host is remembered to be made by may be written by then. */
  readonly proved: Kept | undefined
  /** Why it is being undone, once that was decided. */
  readonly undoing: Failure | undefined
  /** The boot under which everything was put back, when that needs another one. */
  readonly undoneUnder: string | undefined
  readonly reboots: readonly RebootLine[]
}

export type RebootLine = Extract<JournalLine, { at: 'rebooting' }>

/** Reason of the error that says so: the journal is of another version of the agent, or damaged. */
export const JOURNAL_UNREADABLE = 'JournalUnreadable'

/** Intent before act, done after; each line is on disk before the next thing happens. One transaction at a time; no file: none. */
export class Journal {
  readonly #path: string
  readonly #files: HostFiles
  readonly #untold: JournalLine[] = []
  /** What is to stand in the file in place of what a line that was cut short ends. */
  #whole: readonly JournalLine[] | undefined
  /** How the transaction ended, as long as the disk does not take it: to undo it again would restart the kubelet again. */
  ended: { readonly head: TransactionHead; readonly ending: Ending } | undefined
  /** The boot that this process has asked the machine to end. */
  rebooting: string | undefined

  constructor(path: string, files: HostFiles) {
    this.#path = path
    this.#files = files
  }

  /** What the disk does not take, this process knows all the same. */
  async write(entry: JournalLine): Promise<void> {
    if (entry.at === 'begin') this.#untold.length = 0
    this.#untold.push(entry)
    await this.#dropTornLine()
    await this.#files.append(this.#path, JSON.stringify(entry))
    this.#untold.pop()
  }

  /** The transaction is over, and its end is on disk elsewhere. */
  async close(): Promise<void> {
    // A disk that takes no writes refuses to remove what is not there, too.
    if ((await this.#files.stat(this.#path)) !== undefined) await this.#files.remove(this.#path)
    this.#whole = undefined
    this.#untold.length = 0
    this.ended = undefined
  }

  /** The transaction is nobody's affair any more, though nobody could read it; a person may want to. */
  async setAside(): Promise<void> {
    await this.#files.keep(this.#path, `${this.#path}.unreadable`)
    await this.close()
  }

  /** @returns the transaction that was under way when the agent died, if one was. */
  async open(): Promise<JournalRecord | undefined> {
    const bytes = await this.#files.read(this.#path)
    if (bytes === undefined) return undefined
    const { lines, torn } = parseJournal(Buffer.from(bytes).toString())
    this.#whole = torn ? lines : undefined
    return toRecord([...lines, ...this.#untold])
  }

  /** It announced what never began. It must go, or the next line would be glued to it; to read the others needs no disk that takes writes. */
  async #dropTornLine(): Promise<void> {
    if (this.#whole === undefined) return
    await this.#files.writeAtomic(this.#path, Buffer.from(this.#whole.map((entry) => `${JSON.stringify(entry)}\n`).join('')))
    this.#whole = undefined
  }
}

/**
 * Reads up to the first line that is not whole.
 * @throws {AgentError} when a whole line is none of these: to pass it over would be to forget what must be put back.
 */
export function parseJournal(text: string): { readonly lines: readonly JournalLine[]; readonly torn: boolean } {
  const parts = text.split('\n')
  const lines: JournalLine[] = []
  for (const part of parts.slice(0, -1)) {
    const entry = parseLine(part)
    if (entry === undefined) return { lines, torn: true }
    lines.push(entry)
  }
  return { lines, torn: parts.at(-1) !== '' }
}

function parseLine(text: string): JournalLine | undefined {
  const value = parseJson(text)
  const result = line.safeParse(value)
  if (result.success) return result.data
  if (value === undefined) return undefined
  throw new AgentError(
    `read the journal: this agent does not know the line "${text.slice(0, 100)}"; start the version of the agent that wrote it, or assign something new to have the host made by that`,
    { kind: 'internal', reason: JOURNAL_UNREADABLE },
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toRecord(lines: readonly JournalLine[]): JournalRecord | undefined {
  const [head] = lines
  const proved = lines.findLast((entry) => entry.at === 'committed')?.proved
  if (head?.at !== 'begin') return undefined
  return {
    head,
    undos: lines.flatMap((entry) => (entry.at === 'intent' ? [toRecordedUndo(entry.undo)] : [])),
    awaiting: lines.some((entry) => entry.at === 'awaiting'),
    committed: lines.some((entry) => entry.at === 'committed'),
    proved: proved && { kind: 'kept', startedAt: proved.startedAt, heartbeat: proved.heartbeat },
    undoing: lines.findLast((entry) => entry.at === 'undoing')?.error,
    undoneUnder: lines.findLast((entry) => entry.at === 'undone')?.boot,
    reboots: lines.filter((entry) => entry.at === 'rebooting'),
  }
}
