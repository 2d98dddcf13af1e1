import { join } from 'node:path'
import type { PackageStep } from '../../package-manager.ts'
import { aptSecurityUpdates } from '../apt/security-updates.ts'
import { dnf5SecurityUpdates, dnfSecurityUpdates } from '../dnf/security-updates.ts'
import { runProgram } from '../run-program.ts'
import { zypperSecurityUpdates } from '../zypper/security-updates.ts'
import { programOf } from './host-packages.ts'

const QUESTIONS = {
  apt: aptSecurityUpdates,
  dnf: dnfSecurityUpdates,
  dnf5: dnf5SecurityUpdates,
  zypper: zypperSecurityUpdates,
} as const
/** Milliseconds. */
const LONGEST = 300_000

/** What the package manager of this host, or of a tree below a root, offers as security updates of what is installed. */
export function securityUpdates(root: string): Promise<readonly PackageStep[]> {
  const ask = QUESTIONS[programOf((path) => join(root, path))]
  const run = (program: string, args: readonly string[]) =>
    root === '/'
      ? runProgram(program, args, { timeout: LONGEST })
      : runProgram('chroot', [root, program, ...args], { timeout: LONGEST })
  return ask({ run })
}
