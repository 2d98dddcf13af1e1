import type { Machine } from '../support/machine.ts'

export const MINUTE = 60_000

export const text = ({ host }: Machine, path: string) => host.files.text(path)
