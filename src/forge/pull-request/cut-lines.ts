/** Text of at most so many bytes, with a notice where something is left out. A cut within a line would leave broken markup. */
export function cutLines(text: string, { room, notice }: { readonly room: number; readonly notice: string }): string {
  if (Buffer.byteLength(text) <= room) return text
  let left = room - Buffer.byteLength(notice)
  const lines: string[] = []
  for (const line of text.split('\n')) {
    left -= Buffer.byteLength(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return `${lines.join('\n')}${notice}`
}
