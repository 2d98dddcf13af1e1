import type { PackageStep } from '../../package-manager.ts'
import type { SecurityQuestion } from '../apt/security-updates.ts'
import { complaintOf } from '../rpm/rpm-text.ts'
import { DNF_4, DNF_5, type DnfProgram } from './dnf-program.ts'
import { parseTransaction } from './transaction-table.ts'

/** Of advisories of type security, by the metadata that the host has. A hold is no reason: the list in Git names the package. */
const ARGUMENTS = ['--cacheonly', '--assumeno', 'upgrade', '--security']

/** Nothing is fetched, and nothing is changed. @throws when dnf cannot say */
export const dnfSecurityUpdates = (question: SecurityQuestion) => ask(DNF_4, question)
export const dnf5SecurityUpdates = (question: SecurityQuestion) => ask(DNF_5, question)

async function ask(program: DnfProgram, { run, settings = [] }: SecurityQuestion): Promise<PackageStep[]> {
  const outcome = await run(program.name, [...program.settings, ...settings, program.withoutHolds, ...ARGUMENTS])
  const planned = parseTransaction(outcome.stdout)
  // With --assumeno, dnf ends with 1 whenever there is something to do.
  if (outcome.code !== 0 && planned.length === 0)
    throw new Error(`ask dnf for security updates: ${complaintOf(program.textOf(outcome))}`)
  return planned.flatMap(({ name, architecture, version, to }) =>
    to === 'replaced' ? [{ name, architecture, to: version }] : [],
  )
}
