import type { PackageStep } from '../../package-manager.ts'
import type { Outcome } from '../run-program.ts'
import { complaintOf } from './simulation.ts'

/** Suites of security updates: `stable-security` and `bookworm-security`, `jammy-security`. */
const SECURITY = '/-security$/'
/** The versions of these suites count, where others have newer ones as well. A hold is no reason: the list in Git names the package. */
const ARGUMENTS = ['-o', `APT::Default-Release=${SECURITY}`, '--ignore-hold', '--with-new-pkgs', '--simulate', 'upgrade']
/** `Inst libssl3 [3.0.11-1] (3.0.15-1 Debian-Security:12/stable-security [amd64])`, and what else is upgraded beside it. */
const UPGRADE = /^Inst (\S+) \[(\S+)\] \((\S+) (.*)\[(\S+)\]\)/
/** A release without a version has none before its suite: `Debian-Security:stable-security`. */
const FROM_SECURITY = /[:/][^\s:/,]+-security(?=[,\s]|$)/

export interface SecurityQuestion {
  readonly run: (program: string, args: readonly string[]) => Promise<Outcome>
  /** Given to each call. */
  readonly settings?: readonly string[]
}

/** By the host's own package lists. Nothing is fetched, and nothing is changed. @throws when apt cannot say */
export async function aptSecurityUpdates({ run, settings = [] }: SecurityQuestion): Promise<PackageStep[]> {
  const { code, stdout, stderr } = await run('apt-get', [...settings, ...ARGUMENTS])
  if (code === 0) return parseSecurityUpdates(stdout)
  if (/APT::Default-Release/.test(stderr))
    throw new Error(
      'no package list of this host is of a suite that ends with "-security"; add its repository, and run apt-get update',
    )
  throw new Error(`ask apt for security updates: ${complaintOf(`${stderr}\n${stdout}`)}`)
}

/** Pure. */
export function parseSecurityUpdates(output: string): PackageStep[] {
  return output.split('\n').flatMap((line): PackageStep[] => {
    const [, name, from, to, archives = '', architecture] = UPGRADE.exec(line) ?? []
    if (!name || !from || !to || !architecture || !FROM_SECURITY.test(archives)) return []
    return [{ name: name.replace(/:.*$/, ''), architecture, from, to }]
  })
}
