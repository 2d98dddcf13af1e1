import { packageName } from '../rpm/package-key.ts'

/*
 * dnf leaves alone what its configuration excludes: that needs no plugin, and is what the Kubernetes documentation does. A held package is
 * named in `excludepkgs` of /etc/dnf/dnf.conf.
 */

const OPTION = /^(exclude|excludepkgs)\s*=/

/** Pure: what a configuration file excludes from all repositories. */
export function excludesIn(text: string): string[] {
  return blocksOf(text)
    .filter(({ isExclude, section }) => isExclude && section === 'main')
    .flatMap(({ lines }) =>
      lines
        .join('\n')
        .replace(OPTION, '')
        .split(/[\s,]+/),
    )
    .filter((pattern) => pattern !== '')
}

/** Pure: entries of the plugin's own list, but for versions that it excludes. */
export function locksIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#!]/.test(line))
}

/** Pure: of versionlock.toml of dnf 5, packages that stay at the version that is named, or at any. */
export function tomlLocksIn(text: string): string[] {
  const [, ...entries] = text.split(/^\[\[packages]]/m)
  return entries.flatMap((entry) => {
    const [head = {}, ...conditions] = entry.split(/^\[\[packages\.conditions]]/m).map(valuesIn)
    const { name } = head
    if (name === undefined || conditions.length > 1) return []
    const [only] = conditions
    if (only === undefined) return [name]
    return only.key === 'evr' && only.comparator === '=' ? [`${name}-${only.value}`] : []
  })
}

/** Pure: of lines `key = "value"`. */
function valuesIn(text: string): Readonly<Record<string, string>> {
  const lines = text.matchAll(/^(\w+)\s*=\s*(["'])(.*?)\2/gm)
  return Object.fromEntries([...lines].map(([, key = '', , value = '']) => [key, value]))
}

/** Pure: the same configuration, which excludes this package, too. */
export function withExclude(text: string, name: string): string {
  const blocks = blocksOf(text)
  const last = blocks.findLastIndex(({ isExclude, section }) => isExclude && section === 'main')
  if (last >= 0) return blocks.map(({ lines }, index) => lines.join('\n') + (index === last ? ` ${name}` : '')).join('\n')
  const main = blocks.findIndex(({ lines: [line] }) => line?.trim() === '[main]')
  const own = `excludepkgs=${name}`
  if (main < 0) return `[main]\n${own}\n${text}`
  return blocks.flatMap(({ lines }, index) => (index === main ? [...lines, own] : lines)).join('\n')
}

/** Pure: the same configuration without this package in the excludes of `[main]`; what a pattern excludes stays. */
export function withoutExclude(text: string, name: string): string {
  return blocksOf(text)
    .flatMap(({ lines, isExclude, section }) => {
      if (!isExclude || section !== 'main') return lines
      const [, option = '', value = ''] = /^([^=]*=)([\s\S]*)$/.exec(lines.join('\n')) ?? []
      const parts = value.split(/([\s,]+)/)
      const kept = parts.filter((part, index) => part !== name && !(index % 2 === 1 && parts[index + 1] === name))
      return kept.join('').trim() === '' ? [] : `${option}${kept.join('')}`.split('\n')
    })
    .join('\n')
}

/** Pure: whether dnf would match the pattern with the package. */
export function isMatch(
  pattern: string,
  { name, version, architecture }: { readonly name: string; readonly version: string; readonly architecture: string },
): boolean {
  const whole = version.includes(':') ? version : `0:${version}`
  const short = version.replace(/^\d+:/, '')
  const own = packageName(name)
  const forms = [own, ...[version, whole, short].map((each) => `${own}-${each}`)]
  const glob = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )
  return [...forms, ...forms.map((form) => `${form}.${architecture}`)].some((form) => glob.test(form))
}

interface Block {
  /** More than one where the value goes on in lines that begin with a blank. */
  readonly lines: readonly string[]
  readonly isExclude: boolean
  readonly section: string
}

function blocksOf(text: string): Block[] {
  const blocks: { lines: string[]; isExclude: boolean; section: string }[] = []
  let section = ''
  for (const line of text.split('\n')) {
    section = /^\[([^\]]*)\]/.exec(line)?.[1] ?? section
    const before = blocks.at(-1)
    if (before?.isExclude && /^\s+\S/.test(line)) before.lines.push(line)
    else blocks.push({ lines: [line], isExclude: OPTION.test(line), section })
  }
  return blocks
}
