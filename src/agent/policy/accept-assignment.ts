import { ASSIGNMENT_LOST, ASSIGNMENT_REPLAYED, isStatusOf, parseAgentStatus } from '../../protocol/agent-status.ts'
import { checkSignature, counterOf, isCounterOfOurs, type TrustedKey } from '../../protocol/assignment-signature.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import { TRUSTED_KEYS } from '../paths.ts'
import { sha256Of } from '../sha256.ts'
import type { Accepted } from '../state/state.ts'
import { readTrustedKeys } from './trusted-keys.ts'

/** An assignment as it stands on a Node. */
interface Standing {
  readonly text: string
  /** uid of the Node. */
  readonly node: string
}

/**
 * Nothing is taken up that is older than what was taken up last: an etcd that is restored from a backup brings older assignments back, to
 * all Nodes at the same time. On a host with trusted keys, nothing either that no such key signed for this Node.
 * What is accepted is on disk before it is acted upon.
 * @throws {AgentError} the host stays as it is
 */
export async function acceptAssignment(standing: Standing, context: Pick<AgentContext, 'ports' | 'state'>): Promise<void> {
  const { ports, state } = context
  const keys = await readTrustedKeys(ports.files)
  if (keys !== undefined) enforceSignature(standing, keys)
  const counter = counterOf(parseDesiredConfig(standing.text))
  // Written by a person: nothing says when.
  if (counter === undefined) return
  const last = await lastAccepted(state)
  const isSigned = keys !== undefined
  // A typing error in a counter must not shut out all that come after it. The clock of the host may be years behind.
  if (!isSigned && !isCounterOfOurs(counter, Math.max(ports.clock.now(), last?.counter ?? 0))) return
  const accepted = enforceOrder(standing, { counter, isSigned, last })
  if (accepted !== last) await state.setAccepted(accepted)
}

function enforceSignature({ text, node }: Standing, keys: readonly TrustedKey[]): void {
  const verdict = checkSignature(text, { node, keys })
  if ('problem' in verdict) throw refused(verdict.problem, verdict.message)
  const { KUBELET_CONFIG, HOST_CONFIG, SECRET_CONFIG, DIGEST } = parseDesiredConfig(text)
  if (DIGEST === undefined && (KUBELET_CONFIG ?? HOST_CONFIG ?? SECRET_CONFIG) !== undefined)
    throw refused('UntrustedPayload', 'it names a payload without DIGEST, and nobody signed what is in that')
}

async function lastAccepted(state: AgentContext['state']): Promise<Accepted | undefined> {
  const last = await state.accepted()
  if (last !== 'damaged') return last
  throw new AgentError(`read "${state.paths.accepted}": it is damaged, so no older one would be recognized; remove it`, {
    kind: 'sync',
    reason: 'AcceptedUnreadable',
  })
}

/** @returns what is to be remembered */
function enforceOrder(
  { text, node }: Standing,
  { counter, isSigned, last }: { readonly counter: number; readonly isSigned: boolean; readonly last: Accepted | undefined },
): Accepted {
  const assignment = sha256Of(Buffer.from(text))
  if (last?.node === node && last.assignment === assignment) return last
  const former = formerOf(last, node)
  // Of a Node that is new to this machine counters start from zero: what was signed for another one counts nowhere else.
  const floor = last && acceptedCounter(last, node)
  // A person who edits what stands there keeps its counter; under a signature nobody can.
  if (floor !== undefined && (counter < floor || (isSigned && counter === floor)))
    throw refused(ASSIGNMENT_REPLAYED, `its COUNTER is ${counter}, and one with ${floor} was accepted before`)
  return { node, counter, assignment, ...(former.length > 0 && { former }) }
}

/** Of the Node with this uid. */
export function acceptedCounter(last: Accepted, node: string): number | undefined {
  return last.node === node ? last.counter : last.former?.find((each) => each.node === node)?.counter
}

const FORMER_KEPT = 10

/** All but this one. */
function formerOf(last: Accepted | undefined, node: string): NonNullable<Accepted['former']> {
  if (last === undefined) return []
  const known = [...(last.former ?? []), { node: last.node, counter: last.counter }]
  return known.filter((each) => each.node !== node).slice(-FORMER_KEPT)
}

/** A Node without an assignment. */
interface Bare {
  /** Its uid. */
  readonly node: string
  readonly name: string
  /** The agent's report as it stands there. */
  readonly shown: string | undefined
}

/**
 * Whoever removes an assignment leaves the report about it. An etcd that is restored from before the assignment has neither, on all Nodes at the
 * same time; and nobody can sign that there is no annotation.
 * @throws {AgentError} the host stays as it is
 */
export async function enforceOnRemoval(bare: Bare, { ports, state, options }: AgentContext): Promise<void> {
  const { desiredConfig } = namesFor(options.prefix)
  const remedy = `kubectl annotate --overwrite node ${bare.name} ${desiredConfig}={}, and when that is Applied, remove it`
  // Once refused, it is not checked again when the keys have been removed.
  if ((await readTrustedKeys(ports.files)) !== undefined)
    throw refused(
      'SignatureMissing',
      `it was removed, which nobody can sign; to let go of the host, remove its trusted keys, then: ${remedy}`,
    )
  if (showsAssignment(bare) || (await state.digest('active')) === undefined) return
  const what =
    'the Node has none, and shows no report about one, as after a restore of etcd; the host stays as it is until it is assigned again'
  throw refused(ASSIGNMENT_LOST, `${what}; to let go of it: ${remedy}`)
}

/** The report is about an assignment of this Node. */
export function showsAssignment({ node, shown }: Pick<Bare, 'node' | 'shown'>): boolean {
  const status = parseAgentStatus(shown)
  // A backup may also be of the time in which the agent missed its assignment.
  return status?.assigned !== undefined && status.error?.reason !== ASSIGNMENT_LOST && isStatusOf(status, node)
}

/** Whether this is what was accepted last, or the host needs no signatures. */
export async function isAccepted(text: string, { ports, state }: Pick<AgentContext, 'ports' | 'state'>): Promise<boolean> {
  if ((await ports.files.stat(TRUSTED_KEYS)) === undefined) return true
  const last = await state.accepted()
  return last !== undefined && last !== 'damaged' && last.assignment === sha256Of(Buffer.from(text))
}

function refused(reason: string, why: string): AgentError {
  return new AgentError(`refuse the desired-config: ${why}`, { kind: 'load', reason })
}
