import { Command, InvalidArgumentError, Option } from 'commander'

/** The command line of a development command: `--help`, and a plain error for what it does not know. */
export function commandLine(name: string, summary: string, example: string): Command {
  return new Command(`npm run ${name} --`)
    .description(summary)
    .addHelpText('after', `\nExample:\n  npm run ${name} -- ${example}`)
}

/** `flags` takes a number of at most `digits` digits. */
export function numberOption(flags: string, summary: string, digits = 9): Option {
  return new Option(flags, summary).argParser((text: string) => {
    if (!new RegExp(`^\\d{1,${digits}}$`).test(text)) throw new InvalidArgumentError('It must be a number.')
    return Number(text)
  })
}
