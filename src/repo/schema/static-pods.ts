import * as z from 'zod'
import { LONGEST_READY, MANIFEST_PATH } from '../../protocol/static-pods.ts'
import { absolutePath, duration, relativePath } from './common.ts'

const staticPod = z
  .strictObject({
    path: absolutePath
      .regex(MANIFEST_PATH, 'expected a file that ends with .yaml, .yml or .json, and does not begin with a dot')
      .describe('Where the manifest is on the host: in the directory that `staticPodPath` of the kubelet names.'),
    content: z
      .string()
      .max(512 * 1024)
      .exactOptional()
      .describe('The manifest: one Pod, as YAML or JSON.'),
    from: relativePath.exactOptional().describe('A file of the repository instead, relative to the folder of the fleet.'),
    readyTimeout: duration
      .refine((time) => time >= 1000 && time <= LONGEST_READY * 1000, `expected 1s to ${LONGEST_READY / 60}m`)
      .exactOptional()
      .describe('Time in which the pod has to be Ready, or the change is undone. Default: 2m.'),
  })
  .refine(({ content, from }) => (content === undefined) !== (from === undefined), 'expected one of content and from')
export type StaticPodSpec = z.infer<typeof staticPod>

/** A field of a HostProfile. */
export const staticPods = z
  .array(staticPod)
  .max(50)
  .exactOptional()
  .describe('Pods that the kubelet runs from files of the host. Each is proved by its mirror pod.')
