import type { DerivedFile } from '../../agent/ports.ts'
import type { MemoryFiles } from './memory-files.ts'
import { bootArguments } from './simulated-boot.ts'

export const TRUST_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'
export const BOOT_MENU = '/boot/grub/grub.cfg'
const ADDED = /^\/usr\/local\/share\/ca-certificates\/[^/]+\.crt$/

/** Debian's: one bundle of what the distribution trusts, and of what the administrator has added. */
export function simulatedTrustStore(files: MemoryFiles): DerivedFile {
  return derived(files, TRUST_BUNDLE, () => {
    const added = Object.keys(files.snapshot()).filter((path) => ADDED.test(path))
    return ['of the distribution\n', ...added.map((path) => files.text(path) ?? '')].join('')
  })
}

/** What grub starts: of its many lines the one that counts. */
export function simulatedBootMenu(files: MemoryFiles): DerivedFile {
  return derived(files, BOOT_MENU, () => `linux /vmlinuz root=/dev/sda1 ro ${bootArguments(files)}\n`)
}

function derived(files: MemoryFiles, path: string, make: () => string): DerivedFile {
  return {
    rebuild: async () => files.put(path, make()),
    fingerprint: async () => (await files.sha256(path)) ?? 'none',
  }
}
