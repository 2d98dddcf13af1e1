import * as z from 'zod/mini'
import { ABSOLUTE_PATH } from './host-document.ts'

/** Stands for the value of a flag that holds credentials. */
export const HIDDEN_VALUE = '(hidden)'

/** A setting of a kubelet on its command line, and the variable and file that it comes from. */
const flagSource = z.object({
  /** `KUBELET_EXTRA_ARGS` */
  variable: z.string(),
  path: z.string(),
  /** As systemd hands them to the kubelet. */
  args: z.array(z.string()),
})

const inventoryKubelet = z.object({
  /** Undefined: nothing on the host shows how the kubelet is installed. */
  layout: z.optional(z.enum(['kubeadm', 'env', 'managed'])),
  /** Of the binary, as it says itself: `1.36.3`. */
  version: z.optional(z.string()),
  binary: z.optional(z.object({ path: z.string(), sha256: z.string() })),
  /** The package that brought it, with its version. */
  package: z.optional(
    z.object({
      name: z.string(),
      version: z.string(),
      held: z.boolean(),
      /** Missing in what older agents print: apt. */
      manager: z.optional(z.enum(['apt', 'dnf', 'zypper'])),
    }),
  ),
  flags: z.array(flagSource),
  /** The process that runs now; empty when none does, or when nobody but root may know. */
  command: z.array(z.string()),
  config: z.optional(z.object({ path: z.string(), text: z.string() })),
  /** Files behind `--config-dir`, which win over the configuration. */
  dropIns: z.array(z.string()),
})

const inventoryFile = z.object({
  /** It becomes a path below the repository: a host that others took over must not lead out of that. */
  path: z.string().check(z.regex(ABSOLUTE_PATH, 'expected an absolute path, without ".." in it')),
  content: z.string(),
  /** As in `stat`: "0644". */
  mode: z.string(),
  uid: z.number(),
  gid: z.number(),
})

/** What one host runs: printed by `nodewave agent import`, read by `nodewave import`. It has no secrets. */
export const hostInventory = z.object({
  kind: z.literal('HostInventory'),
  version: z.literal(1),
  node: z.string(),
  arch: z.string(),
  kubelet: inventoryKubelet,
  files: z.array(inventoryFile),
  units: z.array(z.object({ name: z.string(), enabled: z.boolean(), running: z.boolean() })),
  packages: z.array(z.object({ name: z.string(), version: z.string(), held: z.boolean() })),
  /** Package repositories, certificates of the administrator: what is there, and not what is in it. */
  repositories: z.array(z.string()),
  certificates: z.array(z.string()),
  /** Manifests that the kubelet runs from its directory. Missing in what older agents print. */
  staticPods: z.optional(z.array(z.string())),
  kernelArguments: z.string(),
  swaps: z.array(z.string()),
  /** Whether `swap: off` of a HostProfile finds nothing to change. Missing in what older agents print. */
  swapOff: z.optional(z.boolean()),
  /** Where /etc/localtime leads. */
  localTime: z.optional(z.string()),
  /** What is there and was not copied. */
  omitted: z.array(z.object({ path: z.string(), why: z.string() })),
})

export type HostInventory = z.infer<typeof hostInventory>
export type InventoryFile = z.infer<typeof inventoryFile>
export type InventoryKubelet = z.infer<typeof inventoryKubelet>
