/** A Debian with the programs of both boot loaders, and no disk: what grub-probe would find out of one is said by a script. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { debianBase } from '../build/base.ts'
import { type LayerFile, putFile } from '../build/layers.ts'
import { packageLayer } from '../build/package-layer.ts'
import { note } from '../cluster/record.ts'
import type { Slot } from '../cluster/slot.ts'
import { run } from '../exec.ts'

const PROBE = `#!/bin/sh
case "$*" in
*target=device*) echo /dev/vda1 ;;
*target=fs_uuid*) echo 2b0a6a5e-0000-4000-8000-000000000000 ;;
*target=fs*) echo ext2 ;;
*target=partmap*) echo gpt ;;
*target=compatibility_hint*) echo hd0,gpt1 ;;
*) : ;;
esac
`
const FILES: readonly LayerFile[] = [
  { path: '/usr/sbin/grub-probe', content: PROBE, mode: 0o755 },
  { path: '/boot/vmlinuz-6.1.0-1-amd64', content: '' },
  { path: '/boot/initrd.img-6.1.0-1-amd64', content: '' },
  { path: '/boot/grub/grub.cfg', content: '' },
  { path: '/etc/default/grub', content: 'GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX="quiet"\nGRUB_DISABLE_OS_PROBER=true\n' },
]

export interface LoaderRoot {
  put(file: LayerFile): Promise<void>
  /** Output of a program in it. */
  output(command: readonly string[]): Promise<string>
}

export async function loaderRoot(slot: Slot): Promise<LoaderRoot> {
  const base = await debianBase(() => undefined)
  const layer = await packageLayer(base, 'loaders', ['grub-common', 'grub2-common', 'systemd-boot'])
  const [upper, work, root] = ['upper', 'work', 'root'].map((part) => join(slot.dir, 'loaders', part)) as [string, string, string]
  for (const path of [work, root, join(upper, 'efi')]) await mkdir(path, { recursive: true })
  for (const file of FILES) await putFile(upper, file)
  const overlay = `lowerdir=${layer}:${base},upperdir=${upper},workdir=${work}`
  await mount(slot, root, ['-t', 'overlay', 'overlay', '-o', overlay])
  await mount(slot, join(root, 'proc'), ['-t', 'proc', 'proc'])
  // bootctl takes nothing for a partition that is no file system of its own.
  await mount(slot, join(root, 'efi'), ['-t', 'tmpfs', 'efi'])
  return {
    put: (file) => putFile(root, file),
    output: async (command) => {
      const env = { SYSTEMD_RELAX_ESP_CHECKS: '1', LANG: 'C.UTF-8', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
      return (await run('/usr/sbin/chroot', [root, ...command], { env })).stdout
    },
  }
}

async function mount(slot: Slot, path: string, args: readonly string[]): Promise<void> {
  note(slot, { kind: 'mount', path })
  await run('mount', [...args, path])
}
