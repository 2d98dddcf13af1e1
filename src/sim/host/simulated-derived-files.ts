import type { BootMenu, DerivedFile } from '../../agent/ports.ts'
import type { MemoryFiles } from './memory-files.ts'
import { BOOT_MENU, bootMenuText, startOnce } from './simulated-boot.ts'

export const TRUST_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'
const ADDED = /^\/usr\/local\/share\/ca-certificates\/[^/]+\.crt$/

/** Debian's: one bundle of what the distribution trusts, and of what the administrator has added. */
export function simulatedTrustStore(files: MemoryFiles): DerivedFile {
  return derived(files, TRUST_BUNDLE, () => {
    const added = Object.keys(files.snapshot()).filter((path) => ADDED.test(path))
    return ['of the distribution\n', ...added.map((path) => files.text(path) ?? '')].join('')
  })
}

/** What grub starts: of its many lines those that count. */
export function simulatedBootMenu(files: MemoryFiles): BootMenu {
  return {
    ...derived(files, BOOT_MENU, () => bootMenuText(files)),
    startOnce: async (entry) => startOnce(files, entry),
  }
}

function derived(files: MemoryFiles, path: string, make: () => string): DerivedFile {
  return {
    rebuild: async () => files.put(path, make()),
    fingerprint: async () => (await files.sha256(path)) ?? 'none',
  }
}
