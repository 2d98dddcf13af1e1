/** What update-grub writes and grub reads, as far as a trial boot needs it. Pure. */

/** The id of the entry by which a machine starts as before, while a change is tried. */
export const FORMER_ENTRY = 'nodewave-former'
/** Stands in the command line of a kernel that this entry started. The kernel leaves a name with a dot alone. */
export const FORMER_MARK = 'nodewave.former'

const TITLE = 'As before the change that nodewave tries'

interface MenuEntry {
  readonly lines: readonly string[]
  /** Path of the kernel, as grub has it. */
  readonly kernel: string
  readonly words: readonly string[]
}

/**
 * The script of /etc/grub.d that adds the entry of what runs now, and has it started whenever the trial is not.
 * @param commandLine of the running kernel
 * @returns undefined when the menu has no entry that starts what runs now
 */
export function formerEntryScript(menu: string, commandLine: string): string | undefined {
  const entry = menuEntries(menu).find((each) => startsWith(each, commandLine))
  if (entry === undefined) return undefined
  return `#!/bin/sh
exec tail -n +4 "$0"
# Written by nodewave, and removed when the change has proved itself.
${formerEntry(entry)}
if [ "\${boot_once}" != true ]; then
  set default='${FORMER_ENTRY}'
fi
`
}

/** The entry that grub starts by itself. @param environment text of grubenv */
export function defaultEntry(menu: string, environment: string): string {
  const said = [...menu.matchAll(/^\s*set default="([^"]*)"$/gm)].map(([, value = '']) => value)
  const value = said.find((each) => !each.includes('next_entry')) ?? '0'
  return value.includes('saved_entry') ? (/^saved_entry=(.+)$/m.exec(environment)?.[1] ?? '0') : value
}

function formerEntry({ lines: [header = '', ...body] }: MenuEntry): string {
  const renamed = header
    .trimStart()
    .replace(/'[^']*'|"[^"]*"/, `'${TITLE}'`)
    .replace(/\$menuentry_id_option\s+(?:'[^']*'|"[^"]*")/, `$menuentry_id_option '${FORMER_ENTRY}'`)
  const named = renamed.includes(FORMER_ENTRY) ? renamed : renamed.replace(/\{\s*$/, `--id '${FORMER_ENTRY}' {`)
  // It would make itself the entry of every boot to come.
  const kept = body.filter((line) => line.trim() !== 'savedefault')
  return [named, ...kept.map((line) => (LINUX.test(line) ? `${line.trimEnd()} ${FORMER_MARK}` : line))].join('\n')
}

const LINUX = /^\s*linux(?:efi|16)?\s+(\S+)\s*(.*)$/

/** As generated: each closes with a brace on a line of its own. */
function menuEntries(menu: string): MenuEntry[] {
  const found: MenuEntry[] = []
  const lines = menu.split('\n')
  for (const [index, line] of lines.entries()) {
    if (!/^\s*menuentry\s.*\{\s*$/.test(line)) continue
    const end = lines.findIndex((other, at) => at > index && /^\s*\}\s*$/.test(other))
    const block = lines.slice(index, end + 1)
    const [, kernel, text = ''] = block.map((each) => LINUX.exec(each)).find((match) => match !== null) ?? []
    if (end > index && kernel !== undefined) found.push({ lines: block, kernel, words: wordsOf(text) })
  }
  return found
}

/** grub says first which kernel it has started. */
function startsWith({ kernel, words }: MenuEntry, commandLine: string): boolean {
  const running = wordsOf(commandLine)
  const image = running.find((word) => word.startsWith(IMAGE))
  const others = running.filter((word) => word !== image)
  return (image === undefined || image === `${IMAGE}${kernel}`) && others.join(' ') === words.join(' ')
}

const IMAGE = 'BOOT_IMAGE='

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
