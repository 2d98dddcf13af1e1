import { foreignText } from '../../protocol/foreign-text.ts'

/**
 * Text from a repository must become neither markup nor a command, close no table, mention nobody and link nowhere. Forges look for
 * mentions, references and addresses in what was rendered, so there an entity is no help: a character that nobody sees parts them.
 */
export function escaped(text: string): string {
  return entities(text).replace(/((?:&#(?:35|38|64|126);|[!$%])(?=\w)|:(?=\/\/)|\bwww(?=\.))/gi, '$1&#8203;')
}

/** In a table a vertical bar ends the cell even within code. Markdown makes links of addresses in it; other searches of forges skip code. */
export function code(text: string): string {
  return `<code>${entities(text)
    .replace(/:(?=\/\/)/g, '&#58;')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}&#46;`)}</code>`
}

/** On one line: GitLab takes a line that begins with a slash for a command. What hides text, or turns it around, is shown as what it is. */
function entities(text: string): string {
  const line = foreignText(
    text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space)),
    Number.POSITIVE_INFINITY,
  )
  return line.replace(/[\\`*_{}[\]<>#|@&~]/g, (character) => `&#${character.codePointAt(0)};`)
}
