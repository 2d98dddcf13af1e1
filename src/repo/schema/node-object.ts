import * as z from 'zod'
import { TAINT_EFFECTS } from '../../protocol/node-settings.ts'
import { labelKey, labelValue } from './common.ts'

/** nodewave's own keys, also with the prefix of CoreOS: they steer agents. */
const OWN_KEY = /^(?:[^/]*\.)?(?:nodewave\.io|node-agent\.alpha\.coreos\.com)\//
const key = labelKey.refine((text) => !OWN_KEY.test(text), 'this key belongs to nodewave')

const taint = z.strictObject({
  key,
  value: labelValue.exactOptional(),
  effect: z.enum(TAINT_EFFECTS).describe('NoExecute evicts pods without a toleration; the pool drains for it.'),
})

export const nodeObject = z
  .strictObject({
    labels: z.record(key, labelValue).exactOptional().describe('Labels of the Node.'),
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
