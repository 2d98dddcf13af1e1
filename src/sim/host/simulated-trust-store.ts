import type { TrustStore } from '../../agent/ports.ts'
import type { MemoryFiles } from './memory-files.ts'

export const TRUST_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'
const OWN = /^\/usr\/local\/share\/ca-certificates\/[^/]+\.crt$/

/** Debian's: one bundle of what the distribution trusts, and of what the administrator has added. */
export function simulatedTrustStore(files: MemoryFiles): TrustStore {
  return {
    rebuild: async () => {
      const added = Object.keys(files.snapshot()).filter((path) => OWN.test(path))
      files.put(TRUST_BUNDLE, ['of the distribution\n', ...added.map((path) => files.text(path) ?? '')].join(''))
    },
  }
}
