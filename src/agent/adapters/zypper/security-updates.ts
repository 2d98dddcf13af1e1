import type { PackageStep } from '../../package-manager.ts'
import type { SecurityQuestion } from '../apt/security-updates.ts'
import { complaintOf } from '../rpm/rpm-text.ts'
import { parseSummary, textOf } from './zypper-text.ts'

/** Of patches of the category security, by the metadata that the host has. */
const ARGUMENTS = ['--non-interactive', '--xmlout', '--no-refresh', 'patch', '--category', 'security', '--dry-run']
const REST = ['--auto-agree-with-licenses', '--no-recommends']

/** Nothing is fetched, and nothing is changed. @throws when zypper cannot say */
export async function zypperSecurityUpdates({ run, settings = [] }: SecurityQuestion): Promise<PackageStep[]> {
  const outcome = await run('zypper', [...settings, ...ARGUMENTS, ...REST])
  const planned = parseSummary(outcome.stdout)
  // From 100 to 103, it ended well.
  if (outcome.code !== 0 && (outcome.code < 100 || outcome.code > 103) && planned.length === 0)
    throw new Error(`ask zypper for security updates: ${complaintOf(textOf(outcome))}`)
  return planned.flatMap(({ name, architecture, version, to }) =>
    to === 'replaced' ? [{ name, architecture, to: version }] : [],
  )
}
