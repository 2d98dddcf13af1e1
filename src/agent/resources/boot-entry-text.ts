/** Of a file of the boot loader, what the agent has added to the arguments of the kernel. Pure. */

/**
 * Stands before our words, with their number. The kernel takes a name with a dot for a parameter of a module, and leaves it alone where there
 * is none. Programs that make entries for other kernels copy it with the words.
 */
const MARK = ' nodewave.arguments='

interface Found {
  readonly start: number
  readonly end: number
  readonly words: readonly string[]
}

function find(line: string): Found | undefined {
  const start = line.indexOf(MARK)
  if (start < 0) return undefined
  const [, count = '0'] = /^(\d+)/.exec(line.slice(start + MARK.length)) ?? []
  const own = new RegExp(`^${MARK}${count}((?: \\S+){0,${Math.min(Number(count), 100)}})`).exec(line.slice(start))
  const [whole = MARK, words = ''] = own ?? []
  return { start, end: start + whole.length, words: words.split(' ').filter((word) => word !== '') }
}

/** Our words in a line of arguments, such as that of the running kernel. */
export function ownWords(line: string): readonly string[] {
  return find(` ${line}`)?.words ?? []
}

/** The same with these words, at its end; without any as it was before us. */
function lineWith(line: string, words: readonly string[]): string {
  const found = find(line)
  const theirs = found === undefined ? line : line.slice(0, found.start) + line.slice(found.end)
  return words.length === 0 ? theirs : `${theirs}${MARK}${words.length} ${words.join(' ')}`
}

/** One that starts Linux by its own arguments. A rescue entry stays as it is: somebody may need it. */
export function isKernelEntry(name: string, text: string): boolean {
  return name.endsWith('.conf') && !/-0-rescue/.test(name) && /^linux\s/m.test(text)
}

/** @param text of an entry as the Boot Loader Specification has it */
export function entryWith(text: string, words: readonly string[]): string {
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^options(?:\s|$)/.test(line))
  if (last < 0) return words.length === 0 ? text : `${text}${/(?:^|\n)$/.test(text) ? '' : '\n'}${lineWith('options', words)}\n`
  const changed = lineWith(lines[last] ?? '', words)
  // A line that was only ours.
  return lines.toSpliced(last, 1, ...(changed === 'options' ? [] : [changed])).join('\n')
}

/** @param text of /etc/kernel/cmdline, which entries of kernels to come are made of */
export function commandLineWith(text: string, words: readonly string[]): string {
  const [, line = '', end = ''] = /^([\s\S]*?)(\n*)$/.exec(text) ?? []
  return `${lineWith(line, words)}${end}`
}
