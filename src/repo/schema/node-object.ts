import * as z from 'zod'
import { TAINT_EFFECTS } from '../../protocol/node-settings.ts'
import { labelKey, labelValue } from './common.ts'

/** nodewave's own keys, also with the prefix of CoreOS: they steer agents. */
const OWN_KEY = /^(?:[^/]*\.)?(?:nodewave\.io|node-agent\.alpha\.coreos\.com)\//
const key = labelKey.refine((text) => !OWN_KEY.test(text), 'this key belongs to nodewave')

/** One value for a whole pool: pods that are bound to their node by it, such as those with local volumes, would start nowhere. */
const OF_KUBELETS: ReadonlySet<string> = new Set(['kubernetes.io/hostname', 'kubernetes.io/os', 'kubernetes.io/arch'])
const label = key.refine((text) => !OF_KUBELETS.has(text), 'the kubelet writes this label; use another key')

/** They say how a node is. Written by others, they evict its pods, or its controller forces volumes off it. */
const OF_KUBERNETES = /^node(?:\.cloudprovider)?\.kubernetes\.io\//

const taint = z.strictObject({
  key: key.refine((text) => !OF_KUBERNETES.test(text), 'Kubernetes sets this taint by itself; use another key'),
  value: labelValue.exactOptional(),
  effect: z.enum(TAINT_EFFECTS).describe('NoExecute evicts pods without a toleration; the pool drains for it.'),
})

export const nodeObject = z
  .strictObject({
    labels: z.record(label, labelValue).exactOptional().describe('Labels of the Node.'),
    annotations: z
      .record(key, z.string().max(64 * 1024))
      .exactOptional()
      .describe('Annotations of the Node.'),
    taints: z
      .array(taint)
      .max(50)
      .refine(
        (taints) => new Set(taints.map((one) => `${one.key}:${one.effect}`)).size === taints.length,
        'a key and effect are there twice',
      )
      .exactOptional()
      .describe('Taints of the Node.'),
  })
  .describe('What the controller writes to the Node objects of the pool, with each assignment; what others wrote stays.')
