import type { Disruption } from '../../protocol/desired-config.ts'
import type { NodeContent } from '../../protocol/digest.ts'
import { unnamedPaths } from '../../protocol/written-paths.ts'
import { AgentError } from '../agent-error.ts'
import { HOST_POLICY } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { Kinds } from '../resources/kinds.ts'
import { readDocument } from '../resources/read-document.ts'
import {
  disruptionViolation,
  type HostPolicy,
  type PolicyStep,
  parseHostPolicy,
  type Violation,
  violationIn,
} from './host-policy.ts'

/** Group and others. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * The policy of this host; one that cannot be read, or that others than root may have written, allows nothing.
 * @throws {AgentError} of kind `sync`: somebody may mend the file, and the same assignment is tried again
 */
export async function readHostPolicy(files: HostFiles): Promise<HostPolicy> {
  const stat = await files.stat(HOST_POLICY).catch((cause: unknown) => {
    throw unreadable((cause as Error).message, cause)
  })
  if (stat === undefined) return {}
  if (stat.type !== 'file' || stat.uid !== 0 || (stat.mode & WRITABLE_BY_OTHERS) !== 0)
    throw unreadable('it is no plain file that only root may write; run: chown root: and chmod 644')
  const bytes = await files.read(HOST_POLICY)
  try {
    return parseHostPolicy(Buffer.from(bytes ?? []).toString())
  } catch (cause) {
    throw unreadable((cause as Error).message, cause)
  }
}

/** @throws {AgentError} naming the rule that forbids it; the host stays as it is */
export function enforceOnContent(policy: HostPolicy, content: NodeContent, kinds: Kinds): void {
  if (policy.maintenance !== undefined)
    throw new AgentError(`host policy "${HOST_POLICY}", rule "maintenance": ${policy.maintenance}`, {
      kind: 'sync',
      reason: 'MaintenanceLock',
    })
  const document = readDocument(content, kinds)
  refuse(violationIn(policy, { version: content.version, document, unnamed: unnamedPaths(document) }))
  for (const name of [...(document.steps?.before ?? []), ...(document.steps?.after ?? [])]) stepIn(policy, name)
}

/** @throws {AgentError} StepUnknown */
export function stepIn({ steps = {} }: HostPolicy, name: string): PolicyStep {
  const found = Object.hasOwn(steps, name) ? steps[name] : undefined
  if (found !== undefined) return found
  throw new AgentError(
    `run step "${name}": the policy of this host has no such step; add it to "${HOST_POLICY}", or remove it from Git`,
    { kind: 'validate', reason: 'StepUnknown' },
  )
}

/** @throws {AgentError} */
export function enforceOnNeeds(policy: HostPolicy, needs: Disruption): void {
  refuse(disruptionViolation(policy, needs))
}

function refuse(violation: Violation | undefined): void {
  if (violation === undefined) return
  const { rule, message } = violation
  throw new AgentError(`host policy "${HOST_POLICY}", rule "${rule}": ${message}`, { kind: 'validate', reason: 'HostPolicy' })
}

function unreadable(why: string, cause?: unknown): AgentError {
  return new AgentError(`read host policy "${HOST_POLICY}": ${why}`, { kind: 'sync', reason: 'HostPolicyUnreadable', cause })
}
