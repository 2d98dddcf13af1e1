import * as z from 'zod'
import { CONFIG_MODES, KUBELET_LAYOUTS } from '../../protocol/host-document.ts'
import { document, flags, name, selector, version } from './common.ts'
import { drift } from './drift.ts'
import { nodeObject } from './node-object.ts'
import { rollout } from './rollout.ts'

const kubelet = z.strictObject({
  version: version
    .exactOptional()
    .describe('As a quoted string, such as "1.36.3". Absent: nodewave does not manage the version.'),
  release: name.exactOptional().describe('The KubeletRelease that says how a version is obtained.'),
  layout: z
    .enum(KUBELET_LAYOUTS)
    .exactOptional()
    .describe(
      'How the kubelet is installed on the host: kubeadm (the default), env (an environment file, as on CoreOS) or managed (by nodewave itself, on a machine that has none).',
    ),
  flagsFile: z
    .enum(['extra-args', 'kubeadm-flags'])
    .exactOptional()
    .describe(
      'Where flags go in the kubeadm layout: KUBELET_EXTRA_ARGS (the default), or the file of kubeadm, whose flags come before it.',
    ),
  flagSets: z.array(name).max(50).exactOptional().describe('FlagSets, merged in order; later wins.'),
  flags: flags.exactOptional(),
  config: z.array(name).max(50).exactOptional().describe('KubeletConfigs, merged in order as RFC 7396 says; later wins.'),
  configMode: z
    .enum(CONFIG_MODES)
    .exactOptional()
    .describe(
      'overlay, the default, merges over the file that the host had when it was adopted; full: these documents are the whole file.',
    ),
})

const poolOfCluster = z.strictObject({
  cluster: name.describe('Another cluster that follows the repository.'),
  pool: name.describe('Its pool.'),
})
export type PoolOfCluster = z.infer<typeof poolOfCluster>

const nodePoolSpec = z.strictObject({
  nodeSelector: selector.describe('The nodes of the pool. A node in two pools is an error.'),
  kubelet: kubelet.exactOptional(),
  hostProfiles: z
    .array(name)
    .max(50)
    .exactOptional()
    .describe('HostProfiles; two of them must not contain the same file or unit.'),
  node: nodeObject.exactOptional(),
  dependsOn: z
    .array(z.union([name, poolOfCluster], 'expected the name of a pool, or {cluster: NAME, pool: NAME}'))
    .max(50)
    .exactOptional()
    .describe('Pools that must complete a commit before this pool starts it: a name, or {cluster: NAME, pool: NAME}.'),
  drift: drift.exactOptional().describe('What happens to what others change on hosts of the pool. Default: as the Fleet says.'),
  rollout: rollout.exactOptional(),
})

export const nodePool = document('NodePool', nodePoolSpec).describe('Nodes that are configured alike and rolled together.')
export type NodePoolSpec = z.infer<typeof nodePoolSpec>
