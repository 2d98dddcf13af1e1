import type { Json } from './digest.ts'

/** Of the control groups that a host has mounted below /sys/fs/cgroup. */
export const CGROUP_VERSIONS = ['v1', 'v2'] as const
export type CgroupVersion = (typeof CGROUP_VERSIONS)[number]

/** The first minor release of Kubernetes 1 whose kubelets end on cgroup v1 unless their configuration allows it. */
const FIRST_TO_FAIL = 35
const FLAG = /^--fail[-_]cgroupv1(?:=(.*))?$/
const FALSE = /^(?:0|f|F|false|FALSE|False)$/

export interface KubeletStart {
  /** `v1.36.3`, `1.36.3` */
  readonly version: string
  readonly args: readonly string[]
  /** Of its configuration. */
  readonly document: { readonly [field: string]: Json | undefined }
}

/** Whether a kubelet that starts on a host of cgroup v1 ends at once. A flag wins over the configuration. */
export function failsOnCgroupV1({ version, args, document }: KubeletStart): boolean {
  return saysFailCgroupV1({ args, document }) ?? minorOf(version) >= FIRST_TO_FAIL
}

/** @returns undefined: neither a flag nor the configuration says it */
export function saysFailCgroupV1({ args, document }: Omit<KubeletStart, 'version'>): boolean | undefined {
  const flag = args.findLast((arg) => FLAG.test(arg))
  if (flag !== undefined) return !FALSE.test(FLAG.exec(flag)?.[1] ?? 'true')
  return typeof document.failCgroupV1 === 'boolean' ? document.failCgroupV1 : undefined
}

function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0)
}
