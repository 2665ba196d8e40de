/** What the page itself says to participants, by language. */

const WORDS = {
  en: {
    wait: "Please wait", waitMore: "The next questions appear here by themselves.",
    begin: "Begin", next: "Next", back: "Back", handIn: "Hand in",
    question: (place, all) => `Question ${place} of ${all}`, page: (place, all) => `Page ${place} of ${all}`,
    agree: "Yes, I agree", mustAgree: "Please tick this, or call the person in charge.", noNeed: "You may leave this unticked and still take part.",
    done: "Done", move: "Move the mark", notYet: "not answered yet",
    required: "Please answer this question.", optional: "You may leave this out.",
    number: "Please write a number.", whole: "Please write a whole number.",
    least: (least) => `Please write ${least} or more.`, most: (most) => `Please write ${most} or less.`,
    thanks: "Thank you", thanksMore: "Your answers have arrived. Please wait.",
    sending: "Your answers are being handed in", sendingMore: "Please leave this page open.",
    waiting: "Your answers wait for the connection", waitingMore: "They are kept on this tablet and are handed in by themselves.",
    refused: "Your answers could not be handed in", refusedMore: "They are kept on this tablet. Please call the person in charge.",
    lost: "The connection is lost. You can go on: your answers are kept on this tablet.",
    closed: "This page is not connected. Please call the person in charge.",
    form: "The questions could not be loaded. Please call the person in charge.",
    inCharge: "For the person in charge", save: "Save the answers as a file and take them off this tablet",
  },
  pt: {
    wait: "Aguarde, por favor", waitMore: "As próximas perguntas aparecem aqui automaticamente.",
    begin: "Começar", next: "Seguinte", back: "Voltar", handIn: "Entregar",
    question: (place, all) => `Pergunta ${place} de ${all}`, page: (place, all) => `Página ${place} de ${all}`,
    agree: "Sim, concordo", mustAgree: "Assinale, por favor, ou chame a pessoa responsável.", noNeed: "Pode deixar por assinalar e participar na mesma.",
    done: "Concluir", move: "Mova a marca", notYet: "ainda sem resposta",
    required: "Responda a esta pergunta, por favor.", optional: "Pode deixar sem resposta.",
    number: "Escreva um número, por favor.", whole: "Escreva um número inteiro, por favor.",
    least: (least) => `Escreva ${least} ou mais, por favor.`, most: (most) => `Escreva ${most} ou menos, por favor.`,
    thanks: "Obrigado", thanksMore: "As suas respostas chegaram. Aguarde, por favor.",
    sending: "As suas respostas estão a ser entregues", sendingMore: "Deixe esta página aberta, por favor.",
    waiting: "As suas respostas aguardam a ligação", waitingMore: "Ficam guardadas neste tablet e são entregues automaticamente.",
    refused: "Não foi possível entregar as suas respostas", refusedMore: "Ficam guardadas neste tablet. Chame a pessoa responsável, por favor.",
    lost: "Perdeu-se a ligação. Pode continuar: as suas respostas ficam guardadas neste tablet.",
    closed: "Esta página não está ligada. Chame a pessoa responsável, por favor.",
    form: "Não foi possível abrir as perguntas. Chame a pessoa responsável, por favor.",
    inCharge: "Para a pessoa responsável", save: "Guardar as respostas num ficheiro e retirá-las deste tablet",
  },
};

/** The words of a language, or English ones. */
export function wordsFor(tag) {
  return WORDS[(tag ?? "en").split("-")[0]] ?? WORDS.en;
}
