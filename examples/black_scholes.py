"""The price of a European option and its sensitivities, with `math` on plain floats.

python -m tangent show examples/black_scholes.py:call --wrt spot,sigma,years,rate
python examples/black_scholes.py
"""

import math

import tangent


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def call(spot, strike, years, rate, sigma):
    spread = sigma * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + sigma * sigma / 2.0) * years) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d2)


EXAMPLE = {"call": {"spot": 105.0, "strike": 100.0, "years": 0.5, "rate": 0.02, "sigma": 0.25}}
WRT = {"call": ("spot", "sigma", "years", "rate")}


def greeks(**at):
    """Delta, vega, theta, rho and gamma."""
    delta, vega, decay, rho = tangent.grad(call, wrt=("spot", "sigma", "years", "rate"))(**at)
    gamma = tangent.grad(tangent.grad(call, wrt="spot"), wrt="spot")(**at)
    return {"delta": delta, "vega": vega, "theta": -decay, "rho": rho, "gamma": gamma}


if __name__ == "__main__":
    at = EXAMPLE["call"]
    print(f"price {call(**at):.4f}", *(f"{name} {value:.5f}" for name, value in greeks(**at).items()))
