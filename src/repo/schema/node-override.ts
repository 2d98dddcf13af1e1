import * as z from 'zod'
import { document, flags, kubeletFields, selector } from './common.ts'
import { edits, hostFile } from './host-profile.ts'
import { kernelSettings } from './kernel-settings.ts'

const nodeOverrideSpec = z
  .strictObject({
    node: z
      .string()
      .regex(/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/, 'expected the name of a Node')
      .exactOptional()
      .describe('The one node this is for.'),
    nodeSelector: selector.exactOptional().describe('The nodes this is for, instead of one by name.'),
    flags: flags.exactOptional(),
    config: kubeletFields.exactOptional().describe('Fields of the KubeletConfiguration, merged last.'),
    files: z
      .array(hostFile)
      .max(100)
      .exactOptional()
      .describe('Files of these nodes; they override files of the same path in a HostProfile.'),
    edits: z
      .array(edits)
      .max(100)
      .exactOptional()
      .describe('Blocks and lines in files of these nodes; a block overrides that of the same name in a HostProfile.'),
    sysctls: kernelSettings.sysctls.describe(
      'Settings of the kernel of these nodes; they override those of the same name in a HostProfile.',
    ),
  })
  .refine((spec) => (spec.node === undefined) !== (spec.nodeSelector === undefined), 'expected either node or nodeSelector')

export const nodeOverride = document('NodeOverride', nodeOverrideSpec).describe('Values of one node, or of a few; applied last.')
export type NodeOverrideSpec = z.infer<typeof nodeOverrideSpec>
