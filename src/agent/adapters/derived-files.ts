import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { BootMenu, DerivedFile, Log } from '../ports.ts'
import { sha256Of } from '../sha256.ts'
import { orMissing } from './or-missing.ts'
import { type RunAsServiceOptions, runAsService } from './run-as-service.ts'
import type { Outcome } from './run-program.ts'

type Run = (program: string, args: readonly string[], options?: RunAsServiceOptions) => Promise<Outcome>

/** Milliseconds: update-grub looks for other systems on every disk. */
const LONGEST_REBUILD = 300_000

/** The bundles that the programs of ca-certificates make: Red Hat's, and that of Debian and SUSE. */
const BUNDLES = [
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/ca-bundle.pem',
]

export function trustStore(run: Run = runAsService, isRedHat = existsSync('/etc/pki/ca-trust/source')): DerivedFile {
  const command = isRedHat ? ['update-ca-trust', 'extract'] : ['update-ca-certificates']
  return derivedFile(command, { run, paths: BUNDLES })
}

export function bootMenu(run: Run = runAsService): BootMenu {
  return {
    ...derivedFile(['update-grub'], { run, paths: ['/boot/grub/grub.cfg'] }),
    startOnce: (entry) =>
      runToSuccess(
        entry === undefined ? ['grub-editenv', '/boot/grub/grubenv', 'unset', 'next_entry'] : ['grub-reboot', entry],
        run,
      ),
  }
}

export function rootedBootMenu(log: Log): BootMenu {
  return {
    ...rootedDerivedFile('update-grub', log),
    startOnce: async (entry) => log.info(`below --root, not done: grub-reboot ${entry ?? ''}`),
  }
}

/** Below a `--root` nothing is made of files: what would be is only said. */
export function rootedDerivedFile(what: string, log: Log): DerivedFile {
  return { rebuild: async () => log.info(`below --root, not done: ${what}`), fingerprint: async () => 'none' }
}

async function runToSuccess([program = '', ...args]: readonly string[], run: Run): Promise<void> {
  const { code, stderr } = await run(program, args, { timeout: LONGEST_REBUILD })
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')}: exit ${code}: ${stderr.trim()}`)
}

function derivedFile(
  command: readonly string[],
  { run, paths }: { readonly run: Run; readonly paths: readonly string[] },
): DerivedFile {
  return {
    rebuild: () => runToSuccess(command, run),
    fingerprint: async () => {
      for (const path of paths) {
        const bytes = await orMissing(readFile(path))
        if (bytes !== undefined) return sha256Of(bytes)
      }
      return 'none'
    },
  }
}
