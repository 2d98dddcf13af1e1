import { basename } from 'node:path/posix'
import type { Swap } from '../../agent/kernel.ts'
import { sysctlPath } from '../../protocol/sysctl-name.ts'
import type { MemoryFiles } from './memory-files.ts'

/** A drop-in for all swap units that keeps them from starting. */
const NO_SWAP_UNITS = /^\/etc\/systemd\/system\/swap\.d\/[^/]+\.conf$/

export interface BootSettings {
  readonly modules: readonly string[]
  /** Path below /proc/sys and value; the last one counts. */
  readonly sysctls: readonly (readonly [path: string, value: string])[]
  readonly swaps: readonly Swap[]
}

/** What systemd reads when a machine starts: modules-load.d, sysctl.d by the names of the files, and fstab. */
export function bootSettings(files: MemoryFiles): BootSettings {
  const paths = Object.keys(files.snapshot())
  const linesOf = (pattern: RegExp): string[] =>
    paths
      .filter((path) => pattern.test(path))
      .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
      .flatMap((path) => (files.text(path) ?? '').split('\n'))
      .filter((line) => /^[^#;\s]/.test(line))
  const isSwapKept = !paths.some((path) => NO_SWAP_UNITS.test(path))
  return {
    modules: linesOf(/^\/(?:etc|usr\/lib)\/modules-load\.d\/[^/]+\.conf$/).map((line) => line.trim()),
    sysctls: linesOf(/^\/(?:etc|usr\/lib)\/sysctl\.d\/[^/]+\.conf$/).flatMap((line) => {
      const [, name, value] = /^([^=\s]+)\s*=\s*(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[sysctlPath(name), value] as const]
    }),
    swaps: isSwapKept ? linesOf(/^\/etc\/fstab$/).flatMap(swapOf) : [],
  }
}

/** What the menu of the boot loader tells the kernel; undefined: there is none. */
export function bootedWith(files: MemoryFiles): string | undefined {
  return /^linux \S+ (.*)$/m.exec(files.text('/boot/grub/grub.cfg') ?? '')?.[1] ?? newestEntry(files)
}

/** Of loaders that read entries, the one whose name comes last. */
function newestEntry(files: MemoryFiles): string | undefined {
  const entries = Object.entries(files.snapshot()).filter(([path]) => /^\/boot\/loader\/entries\/[^/]+\.conf$/.test(path))
  const [, text = ''] = entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).at(-1) ?? []
  return /^options (.*)$/m.exec(text)?.[1]
}

/** What update-grub makes of its files: those of grub.d by their names, each of which may add to what was said before. */
export function bootArguments(files: MemoryFiles): string {
  const paths = Object.keys(files.snapshot()).filter((path) => /^\/etc\/default\/grub\.d\/[^/]+\.cfg$/.test(path))
  const added = paths
    .sort()
    .flatMap((path) => /^GRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX (.*)"$/m.exec(files.text(path) ?? '')?.[1] ?? [])
  return ['quiet', ...added].join(' ')
}

function swapOf(line: string): Swap[] {
  const [path = '', , type] = line.split(/\s+/)
  return type === 'swap' ? [{ path, priority: -2 }] : []
}
