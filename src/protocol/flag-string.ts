import { ProtocolError } from './protocol-error.ts'

/**
 * A flag string is what stands in `KUBELET_EXTRA_ARGS` or `KUBELET_OPTS`: arguments in one line, as systemd splits the
 * word `$KUBELET_EXTRA_ARGS` of an ExecStart. Separators are blanks; both kinds of quotes group and are taken away; a backslash takes
 * the next character as it is, and unlike in a shell it does so inside single quotes too. Nothing is expanded.
 */
const SEPARATOR = /[ \t\n\r]/

/**
 * What no environment file carries: systemd refuses the whole file for a character that is not one of UTF-8's, and its older
 * releases drop a variable that has a control character in it.
 */
const UNREPRESENTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\uFEFF]/u

/**
 * Writes arguments so that `splitFlagString` and systemd read the same ones. Quotes only what needs it.
 * @throws {ProtocolError} naming the argument and the character, when an environment file cannot carry it.
 */
export function formatFlagString(args: readonly string[]): string {
  return args.map(quoteArgument).join(' ')
}

/** @returns the code point, as `U+000A`, that keeps a text out of every environment file; undefined when it can stand there. */
export function unrepresentableIn(text: string): string | undefined {
  const found = UNREPRESENTABLE.exec(text)?.[0].codePointAt(0)
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`
}

function quoteArgument(argument: string): string {
  const culprit = unrepresentableIn(argument)
  if (culprit !== undefined)
    throw new ProtocolError(
      `quote argument ${JSON.stringify(argument)}: an environment file cannot carry the character ${culprit}`,
    )
  if (/^[^ '"\\]+$/.test(argument)) return argument
  if (!/['\\]/.test(argument)) return `'${argument}'`
  return `"${argument.replace(/["\\]/g, '\\$&')}"`
}

/** Arguments as systemd hands them to the kubelet. Like systemd it forgives a quote that is never closed, and a last lone backslash. */
export function splitFlagString(text: string): string[] {
  const args: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') word = (word ?? '') + text.charAt(++at)
    else if (character === quote) quote = ''
    else if (quote !== '') word += character
    else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (!SEPARATOR.test(character)) word = (word ?? '') + character
    else if (word !== undefined) {
      args.push(word)
      word = undefined
    }
  }
  return word === undefined ? args : [...args, word]
}
