import { existsSync } from 'node:fs'
import type { TrustStore } from '../ports.ts'
import { runAsService } from './run-as-service.ts'
import type { Outcome } from './run-program.ts'

type Run = (program: string, args: readonly string[]) => Promise<Outcome>

/** The programs of ca-certificates: Red Hat's, or that of Debian and SUSE. */
export function trustStore(run: Run = runAsService, isRedHat = existsSync('/etc/pki/ca-trust/source')): TrustStore {
  const [program, ...args] = isRedHat ? ['update-ca-trust', 'extract'] : ['update-ca-certificates']
  return {
    rebuild: async () => {
      const { code, stderr } = await run(program, args)
      if (code !== 0) throw new Error(`${[program, ...args].join(' ')}: exit ${code}: ${stderr.trim()}`)
    },
  }
}
