import { basename } from 'node:path/posix'
import type { Swap } from '../../agent/kernel.ts'
import { byText, compareTexts } from '../../protocol/by-text.ts'
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
      .toSorted((a, b) => compareTexts(basename(a), basename(b)))
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

export const BOOT_MENU = '/boot/grub/grub.cfg'
const BOOT_ENVIRONMENT = '/boot/grub/grubenv'

/** What update-grub makes: one kernel, and what the scripts of the administrator write. */
export function bootMenuText(files: MemoryFiles): string {
  const scripts = Object.keys(files.snapshot()).filter((path) => path.startsWith('/etc/grub.d/'))
  const own = scripts.toSorted().map((path) => (files.text(path) ?? '').split('\n').slice(3).join('\n'))
  return `if [ "\${next_entry}" ] ; then
   set default="\${next_entry}"
   set boot_once=true
else
   set default="0"
fi
menuentry 'Debian GNU/Linux' --class os $menuentry_id_option 'gnulinux-simple-1' {
\tlinux /vmlinuz root=/dev/sda1 ro ${bootArguments(files)}
}
${own.join('\n')}`
}

export function startOnce(files: MemoryFiles, entry: string | undefined): void {
  if (entry === undefined) void files.remove(BOOT_ENVIRONMENT)
  else files.put(BOOT_ENVIRONMENT, `next_entry=${entry}\n`)
}

/** What the boot loader tells the kernel; undefined: there is none. An entry for one boot is forgotten with it. */
export function bootedWith(files: MemoryFiles): string | undefined {
  const menu = files.text(BOOT_MENU) ?? ''
  const entries = [...menu.matchAll(/^menuentry .*'(.*)' \{\n([\s\S]*?)^\}$/gm)].map(([, id, body = '']) => ({ id, body }))
  const next = /^next_entry=(.*)$/m.exec(files.text(BOOT_ENVIRONMENT) ?? '')?.[1]
  if (entries.length > 0) startOnce(files, undefined)
  const chosen = next ?? /^ {2}set default='(.*)'$/m.exec(menu)?.[1] ?? '0'
  const { body } = entries.find(({ id }) => id === chosen) ?? entries[Number(chosen)] ?? entries[0] ?? { body: menu }
  return /^\s*linux \S+ (.*)$/m.exec(body)?.[1] ?? newestEntry(files)
}

/** Of loaders that read entries, the one whose name comes last. */
function newestEntry(files: MemoryFiles): string | undefined {
  const entries = Object.entries(files.snapshot()).filter(([path]) => /^\/boot\/loader\/entries\/[^/]+\.conf$/.test(path))
  const [, text = ''] = entries.toSorted(byText(([key]) => key)).at(-1) ?? []
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
