const importNodemailer = () => import('nodemailer')
export type Nodemailer = Awaited<ReturnType<typeof importNodemailer>>

/** The client of SMTP. It does not come with the package: only whoever has a channel of e-mail needs it. @throws {Error} when it is missing */
export async function loadNodemailer(load: () => Promise<Nodemailer> = importNodemailer): Promise<Nodemailer> {
  try {
    return await load()
  } catch (cause) {
    throw new Error(
      'failed to use e-mail: the package "nodemailer" is not installed; add it beside nodewave: npm install --ignore-scripts nodemailer@10.6',
      { cause },
    )
  }
}
