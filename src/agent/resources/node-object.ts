import { HOST_SECTIONS } from '../../protocol/host-document.ts'
import type { Section } from './kind.ts'

/** Labels, annotations and taints of the Node: the controller writes them, and nothing of it is on the host. */
export const nodeObject: Section = {
  key: 'node',
  schema: HOST_SECTIONS.node,
  managed: () => ({ claims: [], triggers: [] }),
  resources: async () => [],
}
