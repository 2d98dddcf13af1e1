import { readFile } from 'node:fs/promises'

/** The text of a file that another program wrote: `>` of Windows PowerShell writes UTF-16, other editors put a byte order mark before UTF-8. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path)
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}
