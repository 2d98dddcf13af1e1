import { statedPolicy } from '../../protocol/drift-policy.ts'
import type { AgentContext } from '../context.ts'
import { activeBlueprint } from '../transaction/prospect.ts'

/** What no watch sees the changes of: the kernel makes it up when it is read. */
const KERNEL_FILES = ['/proc/', '/sys/']

/**
 * Files of the active configuration that are to be compared as soon as somebody changes them. Those of the kubelet are not: to repair one
 * takes a restart, and what changes them, as `kubeadm upgrade node` does, changes several.
 */
export async function pathsToWatch(context: AgentContext): Promise<readonly string[]> {
  const { kinds } = context
  const active = await activeBlueprint(context)
  if (typeof active === 'string') return []
  const { drift = {} } = active.document
  const counts = (kind: string): boolean => kind !== 'kubelet' && statedPolicy(drift, kind) !== 'Ignore'
  const claims = active.managed.claims.filter(({ kind }) => counts(kinds.driftKind(kind)))
  return claims.map(({ key }) => key).filter((key) => key.startsWith('/') && !KERNEL_FILES.some((start) => key.startsWith(start)))
}
