import type { CgroupVersion } from '../protocol/cgroup-version.ts'

/** The running kernel. Nothing that is changed here survives a boot: each kind also writes the file that is read at boot. */
export interface Kernel {
  /** Which control groups it has mounted. */
  cgroupVersion(): Promise<CgroupVersion>
  /** What runs in a control group, and below it. @param group `/system.slice` @returns undefined when there is no such group */
  groupUse(group: string): Promise<GroupUse | undefined>
  /** `6.1.0-18-amd64` */
  release(): Promise<string>
  /**
   * @param path below /proc/sys, as `net/ipv4/ip_forward`
   * @returns the text without the end of its line; undefined when there is no such setting
   * @throws when nobody may read it
   */
  readSysctl(path: string): Promise<string | undefined>
  /** @throws with the `code` of the kernel: ENOENT, EINVAL, EACCES, EPERM or EROFS. What the kernel made of the value shows when it is read. */
  writeSysctl(path: string, value: string): Promise<void>
  /** When the machine, or the container, has started: milliseconds by the clock of today. */
  startedAt(): Promise<number>
  /** The arguments that the boot loader gave the kernel, as /proc/cmdline has it. */
  commandLine(): Promise<string>
  /** Whether a module is loaded, or built into this kernel. */
  hasModule(name: string): Promise<boolean>
  loadModule(name: string): Promise<void>
  /** @throws when it is in use */
  unloadModule(name: string): Promise<void>
  /** Devices and files that are swapped to. */
  swaps(): Promise<readonly Swap[]>
  swapOff(path: string): Promise<void>
  swapOn(swap: Swap): Promise<void>
}

export interface GroupUse {
  /** Bytes that only the end of a process gives back; undefined when the kernel does not count them. */
  readonly memory: number | undefined
  /** Processes and threads; undefined when the kernel does not count them. */
  readonly processes: number | undefined
}

export interface Swap {
  readonly path: string
  /** Below 0: chosen by the kernel. */
  readonly priority: number
}
