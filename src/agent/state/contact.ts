import * as z from 'zod/mini'
import { CONTACT } from '../paths.ts'
import type { HostFiles } from '../ports.ts'

const contact = z.object({ pid: z.number(), started: z.string(), version: z.string() })

/** The agent that read its Node and left nothing on it unsaid: by it `agent install` knows that a new agent works. */
export type Contact = z.infer<typeof contact>

export async function writeContact(files: HostFiles, value: Contact): Promise<void> {
  await files.writeAtomic(CONTACT, Buffer.from(`${JSON.stringify(value)}\n`), { mode: 0o600 })
}

/** @returns undefined when there is none, or one that no agent wrote. */
export function parseContact(text: string | undefined): Contact | undefined {
  try {
    return contact.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}
