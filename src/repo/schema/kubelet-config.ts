import * as z from 'zod'
import { byCapacity } from './by-capacity.ts'
import { document, type KubeletFields, kubeletFields, name } from './common.ts'

export const KUBELET_API_VERSION = 'kubelet.config.k8s.io/v1beta1'
export const KUBELET_CONFIG_KIND = 'KubeletConfiguration'

const kubeletConfigSpec = z.strictObject({
  config: kubeletFields
    .refine(
      isOfOurVersion,
      `expected apiVersion and kind, if stated, to be "${KUBELET_API_VERSION}" and "${KUBELET_CONFIG_KIND}"`,
    )
    .describe(
      `Fields of a ${KUBELET_API_VERSION} KubeletConfiguration, checked against the version of each pool that uses them.`,
    ),
  byCapacity: byCapacity
    .exactOptional()
    .describe('Reservations that grow with the capacity of the node, as progressive brackets; merged after config.'),
})

export const kubeletConfig = document('KubeletConfig', kubeletConfigSpec).describe('Kubelet configuration that pools share.')

/** The kubelet's own document, distinguished by a name that the kubelet itself does not know. */
export const plainKubeletConfiguration = z
  .object({
    apiVersion: z.literal(KUBELET_API_VERSION),
    kind: z.literal(KUBELET_CONFIG_KIND),
    metadata: z.strictObject({ name }),
  })
  .catchall(z.json())

/** `config` is without `apiVersion`, `kind` and `metadata`, in whichever way the document was written. */
export type KubeletConfigSpec = z.infer<typeof kubeletConfigSpec>

function isOfOurVersion({ apiVersion = KUBELET_API_VERSION, kind = KUBELET_CONFIG_KIND }: KubeletFields): boolean {
  return apiVersion === KUBELET_API_VERSION && kind === KUBELET_CONFIG_KIND
}
