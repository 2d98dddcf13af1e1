import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Command, Option } from 'commander'

/** The command line of the bench that was started. Its help is what the opening comment of its file says. */
export function benchCommand(): Command {
  const [, script = ''] = process.argv
  const output = new Option('-o, --output <format>', 'how figures are printed').choices(['text', 'json']).default('text')
  return new Command(`node ${relative(process.cwd(), script)}`)
    .description(openingComment(readFileSync(script, 'utf8')))
    .addOption(output)
}

/** Without its frame; a single line each paragraph, as terminals fold it themselves. */
function openingComment(source: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(source) ?? []
  return comment.replaceAll(/\s*\n \*? ?/g, ' ').trim()
}
