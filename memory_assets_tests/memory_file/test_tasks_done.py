"""Which tasks a later sentence tells as done: each plain form, each with its hard negative."""

from __future__ import annotations

import pytest

from memory_assets.memory_file.tasks_done import done
from memory_assets_tests.memory_file.test_changes import said


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("I need to finish the tax return by 15 December.", "I finished the tax return yesterday."),
        ("Pay the rent by Friday.", "I've paid the rent."),
        ("I have to send Anna the contract.", "We sent the contract this morning."),
        ("Book the hotel in Graz.", "Good news, I booked the hotel."),
        ("Book the dentist.", "Finally booked the dentist."),
        ("Call Dr. Lee about the card.", "I called Dr. Lee about the card."),
        ("I need to write the essay.", "I'm done with the essay."),
        ("Write chapter 3 by 15 March.", "I finished chapter 3."),
        ("Buy a gift for Anna.", "I bought a gift for Anna."),
        ("Pick up the dry cleaning at 4 pm.", "I picked up the dry cleaning."),
        ("Prepare slides for Monday.", "I prepared slides for Monday."),
        ("Update my CV.", "I updated my CV last weekend."),
        ("Call the school before the meeting.", "I called the school and left a message."),
        ("Plan Leo's party.", "I planned Leo's party."),
        ("Review Ben's pull request.", "I reviewed Ben's pull request."),
        ("I need to send the invoice to Ana by Friday.", "The invoice to Ana is sent."),
        ("I need to send the invoice to Ana by Friday.", "The invoice has been sent to Ana."),
        ("I need to send the invoice to Ana by Friday.", "Invoice sent to Ana."),
        ("Fix the gate hinge.", "The gate hinge is fixed now."),
        ("I want to fix the gate hinge this month.", "The gate hinge is fixed now."),
        ("Renew the passport by 20 September.", "My passport was renewed yesterday."),
        ("I must write the report for Leonie.", "The report for Leonie is done."),
        ("Maria Holt needs to send the invoice to Ana.", "Maria Holt sent the invoice to Ana."),
        ("Maria plans to fix the gate hinge.", "Maria has fixed the gate hinge."),
    ],
)
def test_a_task_is_done_when_its_work_is_told_as_done(task: str, report: str) -> None:
    assert done([said(task, 0, is_task=True), said(report, 1)]) == {"m0": "r1"}
    assert done([said(task, 1, is_task=True), said(report, 0)]) == {}, "the task came later"


@pytest.mark.parametrize(
    ("task", "report"),
    [
        ("Review the report with Anna.", "I finished the report."),
        ("Fix the login bug.", "The login bug will be fixed tomorrow."),
        ("Fix the login bug.", "The login bug isn't fixed yet."),
        ("Fix the login bug.", "The login bug needs to be fixed."),
        ("Fix the login bug.", "The login bug is being fixed."),
        ("Write the report for Leonie.", "The report for Leonie is half done."),
        ("Write the report for Leonie.", "When the report for Leonie is done, I will rest."),
        ("Write the report for Leonie.", "If the report for Leonie is sent, we can go."),
        ("Send Anna the invoice.", "Anna sent the invoice."),
        ("Maria needs to send the invoice to Ana.", "Ben sent the invoice to Ana."),
        ("Pay the rent by Friday.", "I paid the electricity bill."),
        ("I need to finish the tax return.", "I almost finished the tax return."),
        ("I need to finish the tax return.", "I have not finished the tax return."),
        ("Send the invoice to Bob.", "I sent half of the invoice."),
        ("Send the invoice to Bob.", "I sent the contract to Anna."),
        ("Bob will send the contract.", "I sent the contract."),
        ("My sister has to book the hotel.", "I booked the hotel."),
        ("Remind Tom to call Anna.", "I called Anna."),
        ("Do not send the contract yet.", "I sent the contract."),
        ("Send the report to Anna.", "I sent the report to Anna?"),
        ("Send Anna the contract.", "I sent it to Anna."),
        ("Buy milk and eggs.", "I bought milk."),
        ("Renew Mia's passport.", "I renewed my passport."),
        ("Fix the bug in the login page.", "I fixed a bug."),
        ("Call Mum every Sunday.", "I called Mum."),
        ("Pay the May rent.", "I paid the rent."),
        ("Finish the Q3 report.", "I finished the report."),
        ("Call Mum about the wedding.", "I called Mum."),
        ("Call the bank about the card.", "I called the bank."),
        ("Call the plumber.", "I called the plumber but he didn't pick up."),
        ("Renew the kids' passports.", "I renewed my passport."),
        ("Renew the kids' passports.", "I renewed the passport."),
        ("Fix the bike light.", "I fixed the bike."),
        ("File the taxes for 2025.", "I filed the taxes for 2024."),
        ("Write chapter 3.", "I finished chapter 2."),
        ("Buy 3 bags of soil.", "I bought 1 bag of soil."),
        ("Clean the garage.", "I cleaned."),
        ("Cancel Thursday's appointment.", "I cancelled the appointment."),
        ("I plan to paint the fence.", "I planned to paint the fence."),
        ("I need to fix the car.", "I needed to fix the car."),
        ("I want to book the hotel.", "I wanted to book the hotel."),
        ("Remember to buy milk.", "I remembered the milk."),
        ("I have to help Anna move the sofa.", "I moved the sofa."),
        ("Call the school.", "I called the school, nobody answered."),
    ],
)
def test_another_work_or_a_part_of_it_leaves_a_task_open(task: str, report: str) -> None:
    assert done([said(task, 0, is_task=True), said(report, 1)]) == {}


def test_what_may_be_either_of_two_tasks_closes_neither() -> None:
    rome, oslo = said("Book flights to Rome.", 0, is_task=True), said("Book flights to Oslo.", 1, is_task=True)
    assert done([rome, oslo, said("I booked the flights.", 2)]) == {}
    assert done([rome, oslo, said("I booked the flights to Rome.", 2)]) == {"m0": "r2"}
    again = said("Book flights to Rome by Friday.", 1, is_task=True)
    assert done([rome, again, said("I booked the flights.", 2)]) == {"m0": "r2", "m1": "r2"}, "one task, told twice"
