import { DIGEST_PATTERN } from './digest.ts'
import { foreignText } from './foreign-text.ts'

/** Wanted: a pod has to run on the node before the assignment counts as done. */
export const PROOF_STATES = ['Wanted', 'Passed', 'Failed'] as const
export type ProofState = (typeof PROOF_STATES)[number]

/** What the controller writes on a node about the proof by a pod: it outlives the pod and the controller. */
export interface NodeProof {
  /** Of the assignment. */
  readonly digest: string
  /** Milliseconds since the epoch: ASSIGNED of the assignment. */
  readonly assignedAt: number
  readonly state: ProofState
  /** When it passed or failed. */
  readonly endedAt?: number
  /** Why it failed. */
  readonly message?: string
  /** How many pods the node took before the change. */
  readonly podCapacity?: number
  /** The pause image that the node had before the change: a change that loses it is not spared the proof. */
  readonly pauseImage?: string
  /** Conditions of pressure that were True before the change, such as DiskPressure. */
  readonly pressures?: readonly string[]
}

const MAX_ANNOTATION = 4000
const MAX_MESSAGE = 1000
const MAX_IMAGE = 256
const MAX_PRESSURES = 3

/** @param node uid of the Node that it is written to */
export function formatNodeProof(
  { digest, assignedAt, state, endedAt, message, podCapacity, pauseImage, pressures }: NodeProof,
  node: string,
): string {
  return JSON.stringify({
    state,
    digest,
    assignedAt: stamp(assignedAt),
    ...(endedAt !== undefined && { endedAt: stamp(endedAt) }),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE) }),
    ...(podCapacity !== undefined && { podCapacity }),
    ...(pauseImage !== undefined && { pauseImage }),
    ...(pressures !== undefined && { pressures }),
    node,
  })
}

/**
 * @param node uid of the Node that it stands on. What was shown on another one, from which it was copied, has to be shown again; a record that
 * does not say which it was written to is of an older controller
 * @returns undefined for what the controller did not write: then no proof is wanted.
 */
export function parseNodeProof(annotation: string | undefined, node: string | undefined): NodeProof | undefined {
  if (annotation === undefined || annotation.length > MAX_ANNOTATION) return undefined
  try {
    return read(JSON.parse(annotation), node)
  } catch {
    return undefined
  }
}

function read(written: Readonly<Record<string, unknown>>, node: string | undefined): NodeProof | undefined {
  const { digest, message, podCapacity, pauseImage, pressures } = written
  const state = PROOF_STATES.find((known) => known === written.state)
  const [assignedAt, endedAt] = [instant(written.assignedAt), instant(written.endedAt)]
  if (typeof digest !== 'string' || !DIGEST_PATTERN.test(digest) || !state || assignedAt === undefined) return undefined
  const isCopied = written.node !== undefined && written.node !== node
  return {
    ...{ digest, assignedAt, state: isCopied ? 'Wanted' : state },
    ...(endedAt !== undefined && !isCopied && { endedAt }),
    ...(typeof message === 'string' && !isCopied && { message: foreignText(message, MAX_MESSAGE) }),
    ...(typeof podCapacity === 'number' && { podCapacity }),
    ...(typeof pauseImage === 'string' && pauseImage.length <= MAX_IMAGE && { pauseImage }),
    ...(Array.isArray(pressures) && { pressures: pressures.slice(0, MAX_PRESSURES).map(String) }),
  }
}

function stamp(at: number): string {
  return new Date(at).toISOString()
}

function instant(written: unknown): number | undefined {
  const at = typeof written === 'string' ? Date.parse(written) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
