import type { PackageWork } from '../../package-manager.ts'
import type { Outcome } from '../run-program.ts'

/** How one of the two says what the agent asks of it. */
export interface DnfProgram {
  readonly name: 'dnf-3' | 'dnf5'
  /** Of every call. Nobody is there to answer a question. What the agent insists on, or brings, it has judged before. */
  readonly settings: readonly string[]
  /** A hold is judged by who asks: what the configuration excludes does not count. */
  readonly withoutHolds: string
  /** What a repository excludes neither, for what the host goes back to. */
  readonly withAll: string
  readonly withoutRepositories: string
  /** Also the kernel that runs may be removed. */
  readonly withRunningKernel: string
  /** Of the host: below it, a directory for each repository. */
  readonly cache: string
  downloadTo(directory: string): readonly string[]
  /** Behind the command. */
  readonly downloadOnly: readonly string[]
  /** @param script writes a script of dnf 4, and says where it is */
  words(work: PackageWork, script: (work: PackageWork) => Promise<string>): Promise<readonly string[]>
  /** What was printed, with complaints as lines that dnf 4 would print. */
  textOf(outcome: Outcome): string
}

export const DNF_4: DnfProgram = {
  name: 'dnf-3',
  settings: [
    '--assumeyes',
    '--color=never',
    '--disableplugin=local,versionlock',
    '--setopt=install_weak_deps=False',
    '--setopt=clean_requirements_on_remove=False',
    '--setopt=localpkg_gpgcheck=False',
    // Else the oldest kernel would go whenever one comes.
    '--setopt=installonly_limit=0',
  ],
  withoutHolds: '--disableexcludes=main',
  withAll: '--disableexcludes=all',
  withoutRepositories: '--disablerepo=*',
  withRunningKernel: '--setopt=protect_running_kernel=False',
  cache: '/var/cache/dnf',
  downloadTo: (directory) => ['--downloadonly', `--downloaddir=${directory}`],
  downloadOnly: [],
  words: async (work, script) => ['shell', await script(work)],
  textOf: ({ stdout, stderr }) => `${stderr}\n${stdout}`,
}

/** It has no shell, but one command for all that is to be done; its own version locks count as excludes. */
export const DNF_5: DnfProgram = {
  name: 'dnf5',
  settings: [
    '--assumeyes',
    '--disable-plugin=local',
    '--setopt=install_weak_deps=False',
    '--setopt=clean_requirements_on_remove=False',
    '--setopt=localpkg_gpgcheck=False',
    // Else the oldest kernel would go whenever one comes.
    '--setopt=installonly_limit=0',
  ],
  // With "main" its version locks would count.
  withoutHolds: '--setopt=disable_excludes=*',
  withAll: '--setopt=disable_excludes=*',
  withoutRepositories: '--setopt=reposdir=/nonexistent',
  withRunningKernel: '--setopt=protect_running_kernel=False',
  cache: '/var/cache/libdnf5',
  downloadTo: (directory) => [`--setopt=destdir=${directory}`],
  downloadOnly: ['--downloadonly'],
  words: async ({ install, remove }) => [
    'do',
    '--allow-downgrade',
    ...(install.length > 0 ? ['--action=install', ...install] : []),
    // As with dnf 4, nothing is removed for what is installed unless something is to be removed.
    ...(remove.length > 0 ? ['--allowerasing', '--action=remove', ...remove] : []),
  ],
  textOf: ({ stdout, stderr }) => `${stderr}\n${stdout}`.split('\n').map(asComplaint).join('\n'),
}

const SCRIPT = /^>>> (?:Non-critical error|Error) in %(pre|post|pretrans|posttrans) scriptlet: (\S+)-(?:\d+:)?[^-\s]+-[^-\s]+$/
const COMPLAINT = /^(?:No match for argument|Argument '|Failed to (?!resolve)|>>> (?!Running)|Transaction failed)/

function asComplaint(line: string): string {
  const [, script, name] = SCRIPT.exec(line) ?? []
  if (script && name) return `Error in ${script.toUpperCase().replace(/^(PRE|POST)$/, '$1IN')} scriptlet in rpm package ${name}`
  return COMPLAINT.test(line) ? `Error: ${line.replace(/^>>> /, '')}` : line
}
