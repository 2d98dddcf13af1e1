import type { PlannedPackage } from '../rpm/planned.ts'
import type { Outcome } from '../run-program.ts'

/** Of zypper(8). Those of 100 to 103 say what else is to be done: the change itself ended well. */
const ENDS: Readonly<Record<number, string>> = {
  1: 'an unexpected situation',
  2: 'it does not know an option that this agent gives',
  3: 'it does not accept an argument',
  4: 'a problem that libzypp reports',
  5: 'it lacks privileges',
  6: 'no repositories are defined',
  7: 'another program has the lock of libzypp',
  8: 'packages were not installed or removed',
  104: 'no repository has a package',
  105: 'a signal ended it',
  106: 'a repository was left out, since it could not be refreshed',
  107: 'a script of a package failed',
}

const SECTION = /<to-([a-z-]+)>([\s\S]*?)<\/to-\1>/g
const SOLVABLE = /<solvable\s([^>]*)>/g
const MESSAGE = /<message type="(\w+)">([\s\S]*?)<\/message>|<description>\s*(Problem[\s\S]*?)<\/description>/g

/** Pure: reads the summary in which zypper says what it is going to do. */
export function parseSummary(output: string): PlannedPackage[] {
  const [, summary = ''] = /<install-summary[^>]*>([\s\S]*?)<\/install-summary>/.exec(output) ?? []
  return [...summary.matchAll(SECTION)].flatMap(([, section = '', text = '']) =>
    [...text.matchAll(SOLVABLE)].flatMap(([, attributes = '']) => {
      const { type, name, edition, arch } = attributesOf(attributes)
      if (type !== 'package' || !name || !edition || !arch) return []
      return [{ name, architecture: arch, version: edition, to: wayOf(section) }]
    }),
  )
}

function wayOf(section: string): PlannedPackage['to'] {
  if (section === 'remove') return 'removed'
  return section === 'install' ? 'installed' : 'replaced'
}

/** Pure: paths of the files that were downloaded. */
export function downloadedFiles(output: string): string[] {
  return [...output.matchAll(/<localfile path="([^"]*)"/g)].map(([, path = '']) => decoded(path))
}

/** Pure: names of repositories that did not answer. */
export function missedRepositories(output: string): string[] {
  return [...new Set([...plain(output).matchAll(/Skipping repository '([^']+)' because/g)].flatMap(([, name]) => name ?? []))]
}

/** Pure: no repository has the package, or not in this version. */
export function isUnknownPackage(output: string): boolean {
  return /No provider of '|Argument resolves to no package|Package '.*' not found/.test(plain(output))
}

/** Pure: what zypper and rpm said, with complaints as lines that begin with "Error: " or "Problem: ", as those of dnf do. */
export function textOf({ code, stdout, stderr }: Pick<Outcome, 'code' | 'stdout' | 'stderr'>): string {
  const parts = [...stdout.matchAll(MESSAGE)].map(([, type, message = '', problem]) => {
    if (problem !== undefined) return decoded(problem.replace(/^ Solution[\s\S]*/m, '')).trim()
    const text = decoded(message).trim()
    return type === 'error' ? `Error: ${text.replaceAll(/\s*\n\s*/g, ' ')}` : text
  })
  const meaning = ENDS[code]
  const isTold = parts.some((part) => /^(?:Error: |Problem)/.test(part))
  const end = meaning === undefined || isTold ? [] : [`Error: zypper ended with ${code}: ${meaning}`]
  return [stderr.trim(), ...parts, ...end].filter((part) => part !== '').join('\n')
}

function plain(output: string): string {
  return decoded(output)
}

function attributesOf(text: string): Partial<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decoded(value)]))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decoded(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
}
