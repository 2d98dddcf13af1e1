/** Of arguments that may be wrong: the last one counts, as where they are parsed. */
export function askedFormat(args: readonly string[]): 'json' | 'yaml' | undefined {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  const asked = options.map((arg, index) => {
    if (arg === '-o' || arg === '--output') return options[index + 1]
    return /^(?:-o|--output=)(.+)$/.exec(arg)?.[1]
  })
  const format = asked.findLast((value) => value !== undefined)
  return format === 'json' || format === 'yaml' ? format : undefined
}
