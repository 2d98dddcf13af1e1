import { checkSignature } from '../../protocol/assignment-signature.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import { TRUSTED_KEYS } from '../paths.ts'
import { sha256Of } from '../sha256.ts'
import { readTrustedKeys } from './trusted-keys.ts'

/**
 * On a host with trusted keys: nothing is taken up that no such key signed for this Node, nor anything older than what was taken up last.
 * What is accepted is on disk before it is acted upon.
 * @throws {AgentError} the host stays as it is
 */
export async function enforceSignature(
  { text, node }: { readonly text: string; readonly node: string },
  { ports, state }: Pick<AgentContext, 'ports' | 'state'>,
): Promise<void> {
  const keys = await readTrustedKeys(ports.files)
  if (keys === undefined) return
  const verdict = checkSignature(text, { node, keys })
  if ('problem' in verdict) throw refused(verdict.problem, verdict.message)
  const { KUBELET_CONFIG, HOST_CONFIG, SECRET_CONFIG, DIGEST } = parseDesiredConfig(text)
  if (DIGEST === undefined && (KUBELET_CONFIG ?? HOST_CONFIG ?? SECRET_CONFIG) !== undefined)
    throw refused('UntrustedPayload', 'it names a payload without DIGEST, and nobody signed what is in that')
  const assignment = sha256Of(Buffer.from(text))
  const last = await state.accepted()
  if (last === 'damaged')
    throw new AgentError(`read "${state.paths.accepted}": it is damaged, and an older assignment could not be told; remove it`, {
      kind: 'sync',
      reason: 'AcceptedUnreadable',
    })
  // Of another Node of this machine counters start from zero: what was signed for the one counts nowhere else.
  if (last?.node === node) {
    if (last.assignment === assignment) return
    if (verdict.counter <= last.counter)
      throw refused('AssignmentReplayed', `its COUNTER is ${verdict.counter}, and one with ${last.counter} was accepted before`)
  }
  await state.setAccepted({ node, counter: verdict.counter, assignment })
}

/** Nobody can sign that there is no annotation. @throws {AgentError} on a host with trusted keys */
export async function enforceOnRemoval({ ports }: Pick<AgentContext, 'ports'>): Promise<void> {
  if ((await readTrustedKeys(ports.files)) === undefined) return
  throw refused('SignatureMissing', 'it was removed, which nobody can sign; to let go of the host, remove its trusted keys first')
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
