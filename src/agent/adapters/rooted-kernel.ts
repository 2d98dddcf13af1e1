import type { Kernel } from '../kernel.ts'
import type { Log } from '../ports.ts'

/** Below a `--root` no kernel runs: the one of this machine is none of ours. What would be changed is only said, and shows from then on. */
export function rootedKernel(log: Log): Kernel {
  const sysctls = new Map<string, string>()
  const modules = new Set<string>()
  const says = (what: string): void => log.info(`below --root, not done: ${what}`)
  return {
    cgroupVersion: async () => 'v2',
    groupUse: async () => undefined,
    release: async () => 'none',
    startedAt: async () => 0,
    readSysctl: async (path) => sysctls.get(path) ?? '',
    writeSysctl: async (path, value) => {
      says(`set /proc/sys/${path} to ${value}`)
      sysctls.set(path, value)
    },
    commandLine: async () => '',
    hasModule: async (name) => modules.has(name),
    loadModule: async (name) => {
      says(`load kernel module ${name}`)
      modules.add(name)
    },
    unloadModule: async (name) => {
      says(`unload kernel module ${name}`)
      modules.delete(name)
    },
    swaps: async () => [],
    swapOff: async (path) => says(`swapoff ${path}`),
    swapOn: async ({ path }) => says(`swapon ${path}`),
  }
}
