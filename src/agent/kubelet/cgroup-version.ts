import { failsOnCgroupV1 } from '../../protocol/cgroup-version.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentPorts } from '../ports.ts'
import { KubeletDropIns } from './config-drop-ins.ts'
import type { KubeletTarget } from './layout.ts'

/**
 * Its preflight says the same, without what to do about it; a kubelet that its service fetches has no preflight.
 * @throws {AgentError} CgroupV1
 */
export async function refuseCgroupV1(
  kubelet: Pick<KubeletTarget, 'args' | 'document'>,
  options: { readonly version: () => Promise<string>; readonly ports: Pick<AgentPorts, 'files' | 'kernel'> },
): Promise<void> {
  const { files, kernel } = options.ports
  if ((await kernel.cgroupVersion()) === 'v2') return
  const version = await options.version()
  if (!failsOnCgroupV1({ version, args: kubelet.args, document: await new KubeletDropIns(files).over(kubelet) })) return
  throw new AgentError(
    `start kubelet ${version}: this host has cgroup v1, on which it ends at once; set "failCgroupV1: false" in its configuration, or boot with "systemd.unified_cgroup_hierarchy=1" by a commit before this one`,
    { kind: 'validate', reason: 'CgroupV1' },
  )
}
