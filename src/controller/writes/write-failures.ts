import { KubeError } from '../../kube/kube-api.ts'
import type { Instant } from '../../rollout/model/instant.ts'

/** Milliseconds before what may pass is tried again, and before what was refused is. */
const RETRY = { first: 250, last: 10_000 }
const REFUSED = { first: 10_000, last: 300_000 }
/** So often in a row a request without an answer may be the server's trouble; after that it is this object's. */
const PATIENCE = 3
/** Characters. The status of the pool repeats them. */
const MAX_MESSAGE = 500

/** A wait that began and ends by the wall clock. */
export interface Wait {
  readonly at: Instant
  /** Not to be tried before. */
  readonly until: Instant
}

/** Milliseconds. A pass that began before a write failed has an earlier instant, and its clock was not put back. */
const LONGEST_PASS = 60_000

/** A clock that was put back, to before the wait began, has it end at once: else it would last as long as the clock was ahead. */
export function isWaiting({ at, until }: Wait, now: Instant): boolean {
  return now > at - LONGEST_PASS && now < until
}

export interface WriteFailure extends Wait {
  readonly attempts: number
  readonly message: string
  /** The server had no answer, or no time: whether the write arrived is not known. */
  readonly isAway: boolean
  /** What was to be written: the failure tells nothing about anything else. */
  readonly about: string
}

/** What is written, as a key. */
export type WrittenObject = `${NodePart | PoolPart | 'pod' | 'proof' | 'payload' | 'object'} ${string}`

/** What is written to a Node. Only failures of the first keep it from its assignment and its uncordon. */
const NODE_PARTS = ['node', 'cordon', 'settings', 'label', 'signature'] as const
type NodePart = (typeof NODE_PARTS)[number]

export function isNodePart(kind: string): kind is NodePart {
  return NODE_PARTS.some((part) => part === kind)
}

export function writtenObject(object: WrittenObject): { readonly kind: string; readonly name: string } {
  const [kind = '', name = ''] = object.split(' ')
  return { kind, name }
}

export function nodeKey(name: string): WrittenObject {
  return `node ${name}`
}

/** Of a cordon whose mark the server does not keep, and that is to be lifted. */
export function cordonKey(name: string): WrittenObject {
  return `cordon ${name}`
}

/** Of a Node's labels, annotations and taints that others changed. */
export function settingsKey(name: string): WrittenObject {
  return `settings ${name}`
}

/** Of the label that names the node's pool. */
export function labelKey(name: string): WrittenObject {
  return `label ${name}`
}

/** Of the assignment that a node has, signed by another key. */
export function signatureKey(name: string): WrittenObject {
  return `signature ${name}`
}

export function payloadKey(name: string): WrittenObject {
  return `payload ${name}`
}

/** Of the pod that proves a node, by its name. */
export function proofKey(pod: string): WrittenObject {
  return `proof ${pod}`
}

export function poolKey(name: string): WrittenObject {
  return `pool ${name}`
}

/** Of the annotations that ask something of a pool, and are cleared. Apart: a pool goes on while one of them stands there. */
export function controlKey(pool: string): WrittenObject {
  return `control ${pool}`
}

/** Of what is written a second time, of the pool's status. */
export function copyKey(pool: string): WrittenObject {
  return `copy ${pool}`
}

/** Of the nodes of a pool, which are read while its status is refused. */
export function readKey(pool: string): WrittenObject {
  return `read ${pool}`
}

/** What is written or read of a pool: only failures of the first hold up the rest. */
const POOL_PARTS = ['pool', 'control', 'copy', 'read'] as const
type PoolPart = (typeof POOL_PARTS)[number]

/** Its name is that of a pool. What failed is about the uid of the NodePool; empty: about one that is to be created. */
export function isPoolPart(kind: string): kind is PoolPart {
  return POOL_PARTS.some((part) => part === kind)
}

/** What the failure of an uncordon is about: whatever the node is to become. */
export const UNCORDON = 'uncordon'

/** The same of the result of a proof: the node waits for it. */
export const RECORD_PROOF = 'recordProof'

/** What the server refuses to write. */
export interface Refusal {
  readonly object: WrittenObject
  readonly about: string
  readonly message: string
  /** It may be tried again. */
  readonly isDue: boolean
}

export interface FailedWrite {
  readonly error: unknown
  readonly about?: string
  readonly now: Instant
}

/** Writes that failed, by object: when each may be tried again, and what the server said. One that fails holds up no other. */
export class WriteFailures {
  readonly #byObject = new Map<WrittenObject, WriteFailure>()

  failed(object: WrittenObject, { error, about = '', now }: FailedWrite): WriteFailure {
    const attempts = (this.#byObject.get(object)?.attempts ?? 0) + 1
    const failure = {
      attempts,
      at: now,
      until: now + Math.max(waitAfter(error, attempts), restAsked(error)),
      message: String(error instanceof Error ? error.message : error).slice(0, MAX_MESSAGE),
      isAway: error instanceof KubeError && error.isAway,
      about,
    }
    this.#byObject.set(object, failure)
    return failure
  }

  ended(object: WrittenObject): void {
    this.#byObject.delete(object)
  }

  of(object: WrittenObject): WriteFailure | undefined {
    return this.#byObject.get(object)
  }

  mayTry(object: WrittenObject, now: Instant): boolean {
    const failure = this.#byObject.get(object)
    return failure === undefined || !isWaiting(failure, now)
  }

  /** The server has said no, or has had no answer for this object so often that it is taken for one. */
  refusal(object: WrittenObject): WriteFailure | undefined {
    const failure = this.#byObject.get(object)
    return failure && (!failure.isAway || failure.attempts >= PATIENCE) ? failure : undefined
  }

  /** All of them, with what they are about. */
  refusals(now: Instant): readonly Refusal[] {
    return [...this.#byObject.keys()].flatMap((object) => {
      const failure = this.refusal(object)
      return failure ? [{ object, about: failure.about, message: failure.message, isDue: !isWaiting(failure, now) }] : []
    })
  }

  /** The server was away until then: what it had no answer to before may pass now. */
  forgetAwayBefore(restoredAt: Instant): void {
    for (const [object, { isAway, at }] of this.#byObject) if (isAway && at < restoredAt) this.#byObject.delete(object)
  }

  retain(exists: (object: WrittenObject, failure: Pick<WriteFailure, 'about' | 'until'>) => boolean): void {
    for (const [object, failure] of this.#byObject) if (!exists(object, failure)) this.#byObject.delete(object)
  }

  /** When the next of them may be tried again. */
  nextTry(now: Instant): Instant | undefined {
    let next: Instant | undefined
    for (const failure of this.#byObject.values())
      if (isWaiting(failure, now)) next = Math.min(failure.until, next ?? Number.POSITIVE_INFINITY)
    return next
  }
}

function waitAfter(error: unknown, attempts: number): number {
  const { first, last } = error instanceof KubeError && error.reaction === 'refuse' ? REFUSED : RETRY
  return Math.min(first * 2 ** (attempts - 1), last)
}

/** A proxy may ask for hours, in which nobody would see what goes wrong. */
function restAsked(error: unknown): number {
  return error instanceof KubeError ? Math.min((error.retryAfter ?? 0) * 1000, RETRY.last) : 0
}
